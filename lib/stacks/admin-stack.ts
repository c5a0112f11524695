import { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Queue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { AdminApi } from '../admin/admin-api.ts';
import { ChangeRequestWorker } from '../admin/change-request-worker.ts';
import { IdentitySync } from '../admin/identity-sync.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { DeploymentStack } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { sharedValue } from '../lambda/shared-values.ts';
import { ImportedUserPool } from '../sign-in/imported-user-pool.ts';
import { importedStorage } from '../state/imported-storage.ts';

export type AdminStackProps = { readonly context: DeploymentContext; readonly code: LambdaCode };

/** The services of the admin API and the work that they start. They hold no state. */
export class AdminStack extends DeploymentStack {
  constructor(scope: Construct, id: string, { context, code }: AdminStackProps) {
    super(scope, id, { deployment: context.stackName, description: `Postrider: the admin API of ${context.domain}` });
    const storage = importedStorage(this, 'Storage', { hasStreams: false });
    const adminApi = new AdminApi(this, 'AdminApi', {
      context,
      api: HttpApi.fromHttpApiAttributes(this, 'Api', { httpApiId: sharedValue(this, 'adminApiId') }),
      consoleApi: HttpApi.fromHttpApiAttributes(this, 'ConsoleApi', { httpApiId: sharedValue(this, 'consoleApiId') }),
      jmapServer: sharedValue(this, 'jmapServer'),
      jmapUrl: sharedValue(this, 'jmapUrl'),
      consoleUrl: sharedValue(this, 'consoleUrl'),
      webmailUrl: context.webmail ? sharedValue(this, 'webmailUrl') : undefined,
      storage,
      userPool: new ImportedUserPool(this, 'UserPool', { context }),
      inboundQueue: this.sharedQueue('inboundQueue'),
      submitQueue: this.sharedQueue('submitQueue'),
      removalQueue: this.sharedQueue('accountRemovalQueue'),
      cleanupQueue: this.sharedQueue('cleanupQueue'),
      supportRoles: {
        DIAG: { role: sharedValue(this, 'supportDiagRoleArn'), rights: sharedValue(this, 'supportDiagRightsArn') },
        CONFIG_READ: { role: sharedValue(this, 'supportConfigReadRoleArn'), rights: sharedValue(this, 'supportConfigReadRightsArn') },
      },
      monitoredResources: sharedValue(this, 'monitoredResources'),
      queueArns: { work: sharedValue(this, 'workQueueArns'), dead: sharedValue(this, 'deadLetterQueueArns') },
      headlessClients: context.headlessClients.map(({ name }) => ({ name, clientId: sharedValue(this, `${name}ClientId`) })),
      code,
    });
    new IdentitySync(this, 'IdentitySync', { storage, code });
    new ChangeRequestWorker(this, 'ChangeRequestWorker', { storage, code });
    // The invitation is sent when nothing of a deployment can fail any more.
    adminApi.firstAdmin?.node.addDependency(...this.node.children);
  }

  private sharedQueue(name: string): IQueue {
    return Queue.fromQueueAttributes(this, name, { queueArn: sharedValue(this, `${name}Arn`), queueUrl: sharedValue(this, `${name}Url`) });
  }
}
