import { Duration } from 'aws-cdk-lib';
import { CfnIntegration, HttpIntegrationSubtype, HttpIntegrationType, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { AnyPrincipal, Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption, QueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { Construct, DependencyGroup } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import { eventSourceWait, eventSourceWaitPath } from '../../contract/jmap/push.ts';
import type { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';

/**
 * Seconds. Each message is for one client only: after a client has received the message, it is hidden, and SQS deletes
 * it after the shortest retention that SQS allows.
 */
const messageLifetime = { visible: 43_200, retained: 60 } as const;

/** A queue on which clients wait. Monitoring leaves it out, because it contains no work that could be delayed. */
export class WaitQueue extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      retentionPeriod: Duration.seconds(messageLifetime.retained),
      visibilityTimeout: Duration.seconds(messageLifetime.visible),
    });
  }
}

/**
 * The queues for clients of the event source that reconnect too early. API Gateway holds their requests as long polls
 * of SQS queues, without a Lambda. A message in a queue ends the wait of a client, which then reconnects and receives
 * the new states. The requests need no token, because messages have no content and each route receives from one queue.
 */
export class EventSourceWaits extends Construct {
  private readonly queues: readonly WaitQueue[];
  private readonly routes = new DependencyGroup();

  constructor(scope: Construct, id: string, endpoint: HttpEndpoint) {
    super(scope, id);
    this.queues = Array.from({ length: eventSourceWait.queues }, (_, index) => new WaitQueue(this, `Wait${index}`));
    this.requireTls();
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      description: 'Lets API Gateway wait on the queues of the event source',
    });
    allowActions(role, { actions: ['sqs:ReceiveMessage'], resources: this.queueArns });
    for (const [number, queue] of this.queues.entries()) this.addRoute(endpoint, role, queue, number);
  }

  private addRoute(endpoint: HttpEndpoint, role: Role, queue: WaitQueue, number: number): void {
    const integration = new CfnIntegration(this, `Poll${number}`, {
      apiId: endpoint.api.apiId,
      description: 'Long poll of a queue of the event source',
      integrationType: HttpIntegrationType.AWS_PROXY,
      integrationSubtype: HttpIntegrationSubtype.SQS_RECEIVE_MESSAGE,
      payloadFormatVersion: '1.0',
      credentialsArn: role.roleArn,
      requestParameters: {
        QueueUrl: queue.queueUrl,
        WaitTimeSeconds: String(eventSourceWait.seconds),
        // Another wait on the queue may need the next one.
        MaxNumberOfMessages: '1',
      },
      // The body is SQS's own: one line that every parser of event streams ignores.
      responseParameters: {
        200: {
          ResponseParameters: [
            { Destination: 'overwrite:header.content-type', Source: 'text/event-stream' },
            { Destination: 'overwrite:header.cache-control', Source: 'no-store' },
          ],
        },
      },
    });
    this.routes.add(endpoint.addIntegrationRoute(HttpMethod.GET, eventSourceWaitPath(number), integration));
  }

  /** One policy for all queues, because a separate policy for each queue would be a separate resource. */
  private requireTls(): void {
    new QueuePolicy(this, 'NeedsTls', { queues: [...this.queues] }).document.addStatements(
      new PolicyStatement({
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['sqs:*'],
        // The queue that has the policy.
        resources: ['*'],
        conditions: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  }

  private get queueArns(): string[] {
    return this.queues.map(({ queueArn }) => queueArn);
  }

  /** Passes the queues' URLs to a Lambda, so that it can redirect clients to them. An update creates the routes first. */
  addQueueUrls(lambda: LambdaFunction): void {
    lambda.node.addDependency(this.routes);
    lambda.addEnvironment(environment.eventSourceQueueUrls, this.queues.map(({ queueUrl }) => queueUrl).join(' '));
  }

  /** Allows sending the messages that end the wait of clients. */
  grantWake(lambda: LambdaFunction): void {
    allowActions(lambda, { actions: ['sqs:SendMessage'], resources: this.queueArns });
  }
}
