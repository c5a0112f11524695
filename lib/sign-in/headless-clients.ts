import { CustomResource, Duration } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { scopesFor } from '../../contract/oauth/oauth.ts';
import type { HeadlessClient } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { customResourceTimeout, LambdaFunction } from '../lambda/lambda-function.ts';
import type { UserPool } from './user-pool.ts';

export type HeadlessClientsProps = { readonly clients: readonly HeadlessClient[]; readonly userPool: UserPool; readonly code: LambdaCode };

/** A headless client's id and the ARN of its secret. */
type ProvisionedClient = { readonly name: string; readonly clientId: string; readonly secretArn: string };

/**
 * App clients for client_credentials (docs/specification.md#machine-access). A Lambda copies each secret from Cognito
 * to Secrets Manager. CloudFormation never sees the secret: not in the template, not in an attribute, not in an event.
 */
export class HeadlessClients extends Construct {
  readonly provisioned: readonly ProvisionedClient[];

  constructor(scope: Construct, id: string, { clients, userPool, code }: HeadlessClientsProps) {
    super(scope, id);
    if (clients.length === 0) {
      this.provisioned = [];
      return;
    }
    const clientSecret = new LambdaFunction(this, 'ClientSecret', {
      code,
      name: 'client-secret',
      description: 'Copies the secret of a headless client from Cognito to Secrets Manager',
      timeout: customResourceTimeout,
    });
    userPool.grantDescribeClients(clientSecret);
    this.provisioned = clients.map((client) => this.provision(client, userPool, clientSecret));
  }

  private provision({ name, audiences, permissions }: HeadlessClient, userPool: UserPool, clientSecret: LambdaFunction): ProvisionedClient {
    const clientId = userPool.addClient(name, { flow: 'client_credentials', scopes: scopesFor(audiences, permissions) }).ref;
    const secret = new Secret(this, `${name}Secret`, { description: `Client secret of the headless client ${name}` });
    allowActions(clientSecret, { actions: ['secretsmanager:PutSecretValue'], resources: [secret.secretArn] });
    new CustomResource(this, `${name}SecretValue`, {
      resourceType: 'Custom::ClientSecret',
      serviceToken: clientSecret.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { userPoolId: userPool.pool.userPoolId, clientId, secretArn: secret.secretArn },
    });
    return { name, clientId, secretArn: secret.secretArn };
  }
}
