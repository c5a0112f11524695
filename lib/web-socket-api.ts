import { Stack } from 'aws-cdk-lib';
import { WebSocketApi as SocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { environment } from '../contract/environment.ts';
import { nameInStack } from '../contract/monitored-resources.ts';
import { apiIdPlaceholder, type DeploymentContext } from './deployment-context.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';
import type { Storage } from './storage.ts';
import type { UserPool } from './user-pool.ts';

export type WebSocketApiProps = {
  readonly context: Pick<DeploymentContext, 'publicUrls'>;
  /** Host name of the custom domain, when there is one. */
  readonly hostName: string | undefined;
  readonly storage: Storage;
  readonly userPool: UserPool;
  readonly code: LambdaCode;
};

/**
 * JMAP over WebSocket (RFC 8887): the sockets are API Gateway's, a Lambda runs when one opens or closes and for each frame.
 * There is no access log: for WebSocket APIs it needs a role that is the whole account's, and tokens may stand in the URL.
 */
export class WebSocketApi extends Construct {
  /** The name among the deployment's APIs, without the stack's. */
  readonly shortName = 'web-socket';
  readonly api: SocketApi;
  readonly stage: WebSocketStage;
  /** `wss://…`, where clients connect, the stage's path included. */
  readonly url: string;
  /** Where Lambdas reach open sockets. */
  readonly managementUrl: string;

  constructor(scope: Construct, id: string, { context, hostName, storage, userPool, code }: WebSocketApiProps) {
    super(scope, id);
    const pushSocket = new LambdaFunction(this, 'PushSocket', {
      code,
      name: 'websocket',
      description: 'Checks the token of a new WebSocket and keeps its connection',
      environment: {
        ...userPool.verification,
        directoryTable: storage.directoryTable.tableName,
        mailTable: storage.mailTable.tableName,
      },
    });
    storage.grantFindPrincipals(pushSocket);
    storage.grantKeepConnections(pushSocket);
    this.api = new SocketApi(this, 'Api', {
      apiName: nameInStack(Stack.of(this).stackName, this.shortName),
      description: 'JMAP over WebSocket',
      connectRouteOptions: { integration: new WebSocketLambdaIntegration('Connect', pushSocket) },
      disconnectRouteOptions: { integration: new WebSocketLambdaIntegration('Disconnect', pushSocket) },
    });
    this.stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: 'jmap',
      autoDeploy: true,
      throttle: { rateLimit: 500, burstLimit: 1000 },
    });
    this.url = context.publicUrls.webSocket ?? (hostName ? `wss://${hostName}` : this.stage.url);
    this.managementUrl = context.publicUrls.webSocketManagement?.replace(apiIdPlaceholder, this.api.apiId) ?? this.stage.callbackUrl;
  }

  /** Sending to open sockets, and closing them. */
  grantReachSockets(grantee: IGrantable): void {
    const api = Stack.of(this).formatArn({ service: 'execute-api', resource: this.api.apiId });
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({
      actions: ['execute-api:ManageConnections'],
      resources: ['POST', 'DELETE'].map((method) => `${api}/${this.stage.stageName}/${method}/@connections/*`),
    }));
  }

  /** Every frame goes to the Lambda, and what it answers goes back to the client; it may also send by itself, and close. */
  answerFrames(handler: LambdaFunction): void {
    handler.addEnvironment(environment.webSocketManagementUrl, this.managementUrl);
    this.grantReachSockets(handler);
    this.api.addRoute('$default', { integration: new WebSocketLambdaIntegration('Frame', handler), returnResponse: true });
  }
}
