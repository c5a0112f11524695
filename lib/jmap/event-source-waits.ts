import { Duration } from 'aws-cdk-lib';
import { CfnIntegration, HttpIntegrationSubtype, HttpIntegrationType, HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import { eventSourceWait, eventSourceWaitPath, eventSourceWaitQueueParameter } from '../../contract/jmap/push.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';

/**
 * Seconds. A message is needed for one client only: after the first client received it, it is hidden, and deleted by
 * SQS after the shortest time that SQS allows.
 */
const messageLifetime = { visible: 43_200, retained: 60 } as const;

/** A queue that clients wait on. Monitoring leaves it out: it has no work that could be delayed. */
export class WaitQueue extends Queue {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.seconds(messageLifetime.retained),
      visibilityTimeout: Duration.seconds(messageLifetime.visible),
    });
  }
}

/**
 * The queues for clients of the event source that reconnect too early. API Gateway holds their requests as long polls
 * of SQS queues, without a Lambda. A message in a queue ends the wait of a client, which then reconnects and receives
 * the new states. Queue names are random and known to signed-in clients only. Messages have no content.
 */
export class EventSourceWaits extends Construct {
  private readonly queues: readonly WaitQueue[];

  constructor(scope: Construct, id: string, endpoint: HttpEndpoint) {
    super(scope, id);
    this.queues = Array.from({ length: eventSourceWait.queues }, (_, index) => new WaitQueue(this, `Queue${index}`));
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      description: 'Lets API Gateway wait on the queues of the event source',
    });
    allowActions(role, { actions: ['sqs:ReceiveMessage'], resources: this.queueArns });
    const integration = new CfnIntegration(this, 'Integration', {
      apiId: endpoint.api.apiId,
      description: 'Long poll of a queue of the event source',
      integrationType: HttpIntegrationType.AWS_PROXY,
      integrationSubtype: HttpIntegrationSubtype.SQS_RECEIVE_MESSAGE,
      payloadFormatVersion: '1.0',
      credentialsArn: role.roleArn,
      requestParameters: {
        QueueUrl: `$request.querystring.${eventSourceWaitQueueParameter}`,
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
    endpoint.addIntegrationRoute(HttpMethod.GET, eventSourceWaitPath, integration);
  }

  private get queueArns(): string[] {
    return this.queues.map(({ queueArn }) => queueArn);
  }

  /** Tells a Lambda the queues, so that it can send clients to them. */
  addQueueUrls(lambda: LambdaFunction): void {
    lambda.addEnvironment(environment.eventSourceQueueUrls, this.queues.map(({ queueUrl }) => queueUrl).join(' '));
  }

  /** Allows ending the wait of clients. */
  grantWake(lambda: LambdaFunction): void {
    allowActions(lambda, { actions: ['sqs:SendMessage'], resources: this.queueArns });
  }
}
