import { Stack } from 'aws-cdk-lib';
import { WebSocketApi as SocketApi, WebSocketStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { environment } from '../../contract/deployment/environment.ts';
import { mailPartitions } from '../../contract/deployment/keys.ts';
import { nameInStack } from '../../contract/deployment/monitored-resources.ts';
import { apiIdPlaceholder, type DeploymentContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { ImportedUserPool } from '../sign-in/imported-user-pool.ts';
import { allowItems, each } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';
import { allowReadingPrincipals } from './allow-principals.ts';

export type WebSocketApiProps = {
  readonly context: Pick<DeploymentContext, 'publicUrls'>;
  /** Host name of the custom domain; undefined without one. */
  readonly hostName: string | undefined;
  readonly storage: Storage;
  readonly userPool: ImportedUserPool;
  readonly code: LambdaCode;
};

/**
 * JMAP over WebSocket (RFC 8887). API Gateway holds the sockets; a Lambda runs when a socket opens or closes and for
 * each frame. There is no access log: for WebSocket APIs it needs a role for the whole AWS account, and URLs may hold
 * tokens.
 */
export class WebSocketApi extends Construct {
  /** The API's name without the stack's name. */
  readonly shortName = 'web-socket';
  readonly api: SocketApi;
  readonly stage: WebSocketStage;
  /** The URL for clients, `wss://…`, with the stage's path. */
  readonly url: string;
  /** The URL at which Lambdas send to open sockets (`@connections`). */
  readonly managementUrl: string;

  constructor(scope: Construct, id: string, { context, hostName, storage, userPool, code }: WebSocketApiProps) {
    super(scope, id);
    const connect = new LambdaFunction(this, 'PushSocket', {
      code,
      name: 'web-socket',
      description: 'Checks the token of a new WebSocket, stores its connection and closes those beyond the limit',
      environment: { ...userPool.verification, directoryTable: storage.directoryTable.tableName, mailTable: storage.mailTable.tableName },
    });
    allowReadingPrincipals(connect, storage.directoryTable);
    // A connection, and its entry in the listeners of its principal.
    const [connections, listeners] = [each(mailPartitions.webSocketConnections), each(mailPartitions.listeners)];
    allowItems(connect, storage.mailTable, ['GetItem'], connections);
    allowItems(connect, storage.mailTable, ['Query'], listeners);
    allowItems(connect, storage.mailTable, ['PutItem', 'DeleteItem'], connections, listeners);
    this.api = new SocketApi(this, 'Api', {
      apiName: nameInStack(deploymentName(this), this.shortName),
      description: 'JMAP over WebSocket',
      connectRouteOptions: { integration: new WebSocketLambdaIntegration('Connect', connect) },
      disconnectRouteOptions: { integration: new WebSocketLambdaIntegration('Disconnect', connect) },
    });
    this.stage = new WebSocketStage(this, 'Stage', {
      webSocketApi: this.api,
      stageName: 'jmap',
      autoDeploy: true,
      throttle: { rateLimit: 500, burstLimit: 1000 },
    });
    this.url = context.publicUrls.webSocket ?? (hostName ? `wss://${hostName}` : this.stage.url);
    this.managementUrl = context.publicUrls.webSocketManagement?.replace(apiIdPlaceholder, this.api.apiId) ?? this.stage.callbackUrl;
    this.addManagement(connect);
  }

  /** Allows sending to open sockets and closing them. */
  grantManageConnections(grantee: IGrantable): void {
    const api = Stack.of(this).formatArn({ service: 'execute-api', resource: this.api.apiId });
    allowActions(grantee, {
      actions: ['execute-api:ManageConnections'],
      resources: ['POST', 'DELETE'].map((method) => `${api}/${this.stage.stageName}/${method}/@connections/*`),
    });
  }

  /** Allows a Lambda to send to open sockets and to close them. */
  private addManagement(lambda: LambdaFunction): void {
    lambda.addEnvironment(environment.webSocketManagementUrl, this.managementUrl);
    this.grantManageConnections(lambda);
  }

  /**
   * Routes every frame to the Lambda and its response back to the client. The Lambda may also send to sockets and close
   * them.
   */
  addFrameHandler(handler: LambdaFunction): void {
    this.addManagement(handler);
    this.api.addRoute('$default', { integration: new WebSocketLambdaIntegration('Frame', handler), returnResponse: true });
  }
}
