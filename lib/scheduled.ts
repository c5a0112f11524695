import type { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import type { Construct } from 'constructs';
import type { LambdaFunction } from './lambda-function.ts';

export type Scheduled = {
  /** What it does there, for the description of the rule. */
  readonly description: string;
  readonly every: Duration;
  /** How often AWS invokes it again after a failure, before the next time comes anyway. */
  readonly retryAttempts: number;
};

/** Has a Lambda invoked again and again, by a rule of EventBridge. */
export const schedule = (scope: Construct, id: string, lambda: LambdaFunction, { description, every, retryAttempts }: Scheduled): void => {
  new Rule(scope, id, { description, schedule: Schedule.rate(every), targets: [new LambdaTarget(lambda, { retryAttempts })] });
};
