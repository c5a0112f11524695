import { Duration } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Construct } from 'constructs';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { confirmationPage } from '../../contract/jmap/forwarding.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import { allowItems } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';

export type ForwardingConfirmationProps = {
  readonly context: Pick<DeploymentContext, 'forwardOutside'>;
  /** The API that serves the page. */
  readonly endpoint: HttpEndpoint;
  readonly storage: Storage;
  readonly code: LambdaCode;
};

/** The throttle of the page, which needs no token of access. */
const throttle = { rate: 2, burst: 5 };

/** The page at which the owner of an address outside confirms that mail is forwarded to it. Everybody can open it, so its Lambda can access little. */
export const addForwardingConfirmation = (scope: Construct, { context, endpoint, storage, code }: ForwardingConfirmationProps): void => {
  const page = new LambdaFunction(scope, 'ForwardingConfirmation', {
    code,
    name: 'forwarding-confirmation',
    description: 'The page at which addresses of forwardings are confirmed',
    environment: { directoryTable: storage.directoryTable.tableName, forwardOutside: String(context.forwardOutside) },
    timeout: Duration.seconds(10),
  });
  const { forwardings, accounts } = directoryPartitions;
  allowItems(page, storage.directoryTable, ['GetItem'], forwardings, accounts);
  allowItems(page, storage.directoryTable, ['PutItem'], forwardings);
  endpoint.addRoute(HttpMethod.ANY, confirmationPage.path, page, throttle);
};
