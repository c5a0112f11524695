import type { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { LambdaFunction } from './lambda-function.ts';

export type ScheduleProps = {
  /** The description of the rule. */
  readonly description: string;
  readonly every: Duration;
  /** Retries of a failed invocation. */
  readonly retryAttempts: number;
  /** The event for the Lambda. Default: EventBridge's own. */
  readonly event?: object;
};

/** Invokes a Lambda at a fixed rate, by an EventBridge rule. */
export const schedule = (scope: Construct, id: string, lambda: LambdaFunction, props: ScheduleProps): void => {
  const { description, every, retryAttempts, event } = props;
  const input = event && { event: RuleTargetInput.fromObject(event) };
  new Rule(scope, id, { description, schedule: Schedule.rate(every), targets: [new LambdaTarget(lambda, { retryAttempts, ...input })] });
};
