import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { DeploymentContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { backgroundConcurrency } from '../lambda/background-concurrency.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { customResourceTimeout, LambdaFunction } from '../lambda/lambda-function.ts';

export type PrerequisitesProps = { readonly context: Pick<DeploymentContext, 'lambdaConcurrency' | 'signInMailFrom' | 'domain'>; readonly code: LambdaCode };

/**
 * The first custom resource of a deployment. It refuses what would fail half way: a region in which SES receives no mail, a
 * concurrency that the account does not have, and a sender of sign-in mail that SES has not verified. It runs again when
 * one of these settings changes.
 */
export class Prerequisites extends Construct {
  private readonly checked: CustomResource;

  constructor(scope: Construct, id: string, { context, code }: PrerequisitesProps) {
    super(scope, id);
    const check = new LambdaFunction(this, 'Check', {
      code,
      name: 'prerequisites',
      description: 'Refuses a deployment that would fail half way',
      timeout: customResourceTimeout,
    });
    // This action has no resources.
    allowActions(check, { actions: ['lambda:GetAccountSettings'], resources: ['*'] });
    const { domain, lambdaConcurrency, signInMailFrom } = context;
    const identity = Stack.of(this).formatArn({ service: 'ses', resource: 'identity', resourceName: domain });
    if (signInMailFrom !== undefined) allowActions(check, { actions: ['ses:GetEmailIdentity'], resources: [identity] });
    this.checked = new CustomResource(this, 'Checked', {
      resourceType: 'Custom::Prerequisites',
      serviceToken: check.functionArn,
      serviceTimeout: Duration.minutes(2),
      properties: { lambdaConcurrency, reservedConcurrency: backgroundConcurrency(lambdaConcurrency).reservedTogether, signInMailFrom },
    });
  }

  /** Has these constructs wait for the check. */
  precede(...constructs: readonly Construct[]): void {
    for (const construct of constructs) construct.node.addDependency(this.checked);
  }
}
