import { Duration } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Construct } from 'constructs';
import { registrationPath } from '../contract/jmap/discovery.ts';
import type { DeploymentContext } from './deployment-context.ts';
import type { HttpEndpoint } from './http-endpoint.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from './lambda-function.ts';
import { schedule } from './scheduled.ts';
import type { Storage } from './storage.ts';
import type { UserPool } from './user-pool.ts';

export type RegistrationProps = {
  readonly context: Pick<DeploymentContext, 'dynamicRegistration'>;
  /** The API that takes registrations. */
  readonly endpoint: HttpEndpoint;
  readonly storage: Storage;
  readonly userPool: UserPool;
  readonly code: LambdaCode;
};

/** What the gateway lets through to POST /oauth/register, which asks for no token (docs/specification.md#client-registration). */
const throttle = { rate: 2, burst: 5 };

/** Partitions of the directory that are registration's own; nothing else of it is known to a Lambda that strangers call. */
const partitions = ['client-registration', 'registered-client', 'client-registration-cap'];

/** Clients that register themselves (RFC 7591): a route that makes app clients of the user pool, and a daily sweep after it. Turned off, the route refuses and may do nothing. */
export class Registration extends Construct {
  private readonly props: RegistrationProps;

  constructor(scope: Construct, id: string, props: RegistrationProps) {
    super(scope, id);
    this.props = props;
    const isOffered = props.context.dynamicRegistration;
    // In the scope around this one, where it has always been: elsewhere it would be another Lambda of the same name, which CloudFormation can't make before the first is gone.
    const register = new LambdaFunction(scope, 'Registration', {
      code: props.code,
      name: 'registration',
      description: 'OAuth dynamic client registration',
      environment: { dynamicRegistration: String(isOffered), ...(isOffered && this.places()) },
    });
    props.endpoint.route(HttpMethod.POST, registrationPath, register, throttle);
    if (!isOffered) return;
    props.storage.grantOnDirectory(register, ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'], ...partitions);
    props.userPool.grantRegisterClients(register);
    this.addSweep();
  }

  private places(): LambdaEnvironment {
    const { storage, userPool } = this.props;
    return { directoryTable: storage.directoryTable.tableName, userPoolId: userPool.pool.userPoolId };
  }

  private addSweep(): void {
    const sweep = new LambdaFunction(this, 'Sweep', {
      code: this.props.code,
      name: 'registration-sweep',
      description: 'Removes app clients that no registration names',
      environment: this.places(),
      memory: 256,
      timeout: Duration.minutes(5),
    });
    this.props.storage.grantOnDirectory(sweep, ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'DeleteItem'], ...partitions);
    this.props.userPool.grantSweepClients(sweep);
    schedule(this, 'EachDay', sweep, { description: 'Sweeps app clients', every: Duration.days(1), retryAttempts: 0 });
  }
}
