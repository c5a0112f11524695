import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaResource, RecursiveLoop, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { environment, type EnvironmentKey } from '../../contract/deployment/environment.ts';
import { functionLogGroup, nameInStack } from '../../contract/deployment/monitored-resources.ts';
import { keysOf } from '../../contract/values/typed-entries.ts';
import { deploymentName } from './deployment-stack.ts';
import type { LambdaCode, LambdaName } from './lambda-entries.ts';

/** Environment variables of a Lambda, by the keys of `contract/deployment/environment.ts`. Undefined values are left out. */
export type LambdaEnvironment = { readonly [K in EnvironmentKey]?: string | undefined };

export type LambdaFunctionProps = {
  readonly code: LambdaCode;
  readonly name: LambdaName;
  readonly description: string;
  readonly environment?: LambdaEnvironment;
  /** Memory in MiB. AWS allots CPU in proportion. */
  readonly memory?: number;
  readonly timeout?: Duration;
  /**
   * Whether the Lambda sends messages to the queue that invokes it, to continue or retry later. By default AWS Lambda
   * takes that for an endless loop, and moves a message to the dead-letter queue after 16 rounds.
   */
  readonly isRequeuing?: boolean;
  /** Executions that are reserved for the Lambda. No more of them run at once. */
  readonly reservedConcurrency?: number | undefined;
};

/** Timeout of a Lambda for a custom resource: it may wait a minute until IAM knows its policy. */
export const customResourceTimeout = Duration.minutes(2);

/** Retention of all logs: those of Lambdas and the access logs of APIs. */
export const logRetention = RetentionDays.ONE_MONTH;

const environmentVariables = (values: LambdaEnvironment): Record<string, string> =>
  Object.fromEntries(
    keysOf(values).flatMap((key) => {
      const value = values[key];
      return value === undefined ? [] : [[environment[key], value]];
    }),
  );

/**
 * A Lambda of the deployment: Node.js 24 on arm64, with its own log group and role. The role allows
 * only writing the log. The constructs that own other resources grant access to them.
 */
export class LambdaFunction extends LambdaResource {
  /** The Lambda's name without the stack's name. */
  readonly shortName: LambdaName;

  constructor(scope: Construct, id: string, props: LambdaFunctionProps) {
    const functionName = nameInStack(deploymentName(scope), props.name);
    const logGroup = new LogGroup(scope, `${id}Log`, {
      logGroupName: functionLogGroup(functionName),
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const writeLog = new PolicyStatement({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] });
    super(scope, id, {
      functionName,
      description: props.description,
      code: props.code(props.name),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memory ?? 512,
      timeout: props.timeout ?? Duration.seconds(28),
      tracing: Tracing.DISABLED,
      ...(props.isRequeuing && { recursiveLoop: RecursiveLoop.ALLOW }),
      ...(props.reservedConcurrency !== undefined && { reservedConcurrentExecutions: props.reservedConcurrency }),
      environment: { ...environmentVariables(props.environment ?? {}), NODE_OPTIONS: '--enable-source-maps' },
      logGroup,
      role: new Role(scope, `${id}Role`, {
        description: `What the Lambda ${functionName} may do`,
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        inlinePolicies: { Log: new PolicyDocument({ statements: [writeLog] }) },
      }),
    });
    this.shortName = props.name;
  }
}
