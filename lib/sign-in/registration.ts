import { Duration } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { directoryPartitions } from '../../contract/deployment/keys.ts';
import { registrationPath } from '../../contract/jmap/discovery.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import { allowAuditEntries, allowItems, readActions, writeActions } from '../state/allow-items.ts';
import type { Storage } from '../state/imported-storage.ts';
import type { ImportedUserPool } from './imported-user-pool.ts';

export type RegistrationProps = {
  readonly context: Pick<DeploymentContext, 'dynamicRegistration'>;
  /** The API that receives registrations. */
  readonly endpoint: HttpEndpoint;
  readonly storage: Storage;
  readonly userPool: ImportedUserPool;
  readonly code: LambdaCode;
};

/** The throttle of POST /oauth/register, which needs no token (docs/specification.md#client-registration). */
const throttle = { rate: 2, burst: 5 };

/** Partitions of the directory with registrations. The Lambdas that unknown clients call can access only these. */
const { clientRegistrations, registeredClients, clientRegistrationCap } = directoryPartitions;
const partitions = [clientRegistrations, registeredClients, clientRegistrationCap];

/**
 * Dynamic client registration (RFC 7591): a route whose Lambda creates app clients of the user pool, and a daily sweep
 * of app clients that are unused or have no registration. While registration is off, the Lambda refuses every
 * request and has no grants.
 */
export class Registration extends Construct {
  private readonly props: RegistrationProps;

  constructor(scope: Construct, id: string, props: RegistrationProps) {
    super(scope, id);
    this.props = props;
    const isOffered = props.context.dynamicRegistration;
    // In the outer scope, because another scope means another logical id. CloudFormation would then create a second
    // Lambda of the same name before it deletes the first, which fails.
    const register = new LambdaFunction(scope, 'Registration', {
      code: props.code,
      name: 'registration',
      description: 'OAuth dynamic client registration',
      environment: { dynamicRegistration: String(isOffered), ...(isOffered && this.tableAndUserPool()) },
    });
    props.endpoint.addRoute(HttpMethod.POST, registrationPath, register, throttle);
    if (!isOffered) return;
    const { directoryTable } = props.storage;
    allowItems(register, directoryTable, ['BatchGetItem', 'GetItem', ...writeActions], ...partitions);
    props.userPool.grantRegisterClients(register);
    this.addSweep();
  }

  private tableAndUserPool(): LambdaEnvironment {
    const { storage, userPool } = this.props;
    return { directoryTable: storage.directoryTable.tableName, userPoolId: userPool.pool.userPoolId };
  }

  private addSweep(): void {
    const sweep = new LambdaFunction(this, 'Sweep', {
      code: this.props.code,
      name: 'registration-sweep',
      description: 'Deletes app clients that are unused or have no registration, and updates the others',
      environment: this.tableAndUserPool(),
      memory: 256,
      timeout: Duration.minutes(5),
    });
    const { directoryTable } = this.props.storage;
    allowItems(sweep, directoryTable, [...readActions, 'PutItem', 'DeleteItem'], ...partitions);
    allowItems(sweep, directoryTable, ['UpdateItem'], clientRegistrations, registeredClients);
    allowAuditEntries(sweep, directoryTable);
    this.props.userPool.grantSweepClients(sweep);
    schedule(this, 'EachDay', sweep, { description: 'Sweeps app clients', every: Duration.days(1), retryAttempts: 0 });
  }
}
