import { Duration, Stack } from 'aws-cdk-lib';
import { HttpMethod } from 'aws-cdk-lib/aws-apigatewayv2';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { registrationPath } from '../../contract/jmap/discovery.ts';
import { metricNamespace } from '../../contract/deployment/monitored-resources.ts';
import { registrationLimits } from '../../contract/oauth/registration.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { HttpEndpoint } from '../endpoints/http-endpoint.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction, type LambdaEnvironment } from '../lambda/lambda-function.ts';
import { schedule } from '../lambda/schedule.ts';
import type { Storage } from '../state/storage.ts';
import type { UserPool } from './user-pool.ts';

export type RegistrationProps = {
  readonly context: Pick<DeploymentContext, 'dynamicRegistration'>;
  /** The API that takes registrations. */
  readonly endpoint: HttpEndpoint;
  readonly storage: Storage;
  readonly userPool: UserPool;
  readonly code: LambdaCode;
};

/** The throttle of POST /oauth/register, which needs no token (docs/specification.md#client-registration). */
const throttle = { rate: 2, burst: 5 };

/**
 * Partitions of the directory that hold registrations. The Lambdas, which unknown clients call, can access no others.
 */
const partitions = ['client-registration', 'registered-client', 'client-registration-cap'];

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
    props.storage.grantDirectoryItems(register, ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem'], ...partitions);
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
      description: 'Deletes app clients that are unused or have no registration',
      environment: this.tableAndUserPool(),
      memory: 256,
      timeout: Duration.minutes(5),
    });
    this.props.storage.grantDirectoryItems(sweep, ['BatchGetItem', 'GetItem', 'Query', 'PutItem', 'DeleteItem'], ...partitions);
    this.props.storage.grantDirectoryItems(sweep, ['UpdateItem'], 'registered-client');
    this.props.storage.grantWriteAudit(sweep);
    this.props.userPool.grantSweepClients(sweep);
    this.addQuotaAlarm(sweep);
    schedule(this, 'EachDay', sweep, { description: 'Sweeps app clients', every: Duration.days(1), retryAttempts: 0 });
  }

  /**
   * Counts the app clients of the user pool by the log of the sweep, and watches Cognito's quota. CloudWatch bills a
   * metric only for the hours in which it has values. The alarm keeps its state from one sweep to the next.
   */
  private addQuotaAlarm(sweep: LambdaFunction): void {
    const { appClientQuota, appClientAlarm } = registrationLimits;
    const metric = new MetricFilter(this, 'AppClients', {
      logGroup: sweep.logGroup,
      filterPattern: FilterPattern.stringValue('$.message', '=', 'client registrations swept'),
      metricNamespace: metricNamespace(Stack.of(this).stackName),
      metricName: 'AppClients',
      metricValue: '$.app_clients',
    }).metric({ period: Duration.days(1), statistic: Stats.MAXIMUM });
    new Alarm(this, 'NearQuota', {
      alarmDescription: `App clients: the user pool has ${appClientAlarm * 100} % of the ${appClientQuota} that Cognito allows by default. `
        + 'At the quota no mail client can register any more.',
      metric,
      threshold: appClientQuota * appClientAlarm,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.IGNORE,
    });
  }
}
