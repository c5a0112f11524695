import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';

/** The permissions of a statement. `conditions` are IAM's: operator → condition key → values. */
export type Allowed = {
  readonly actions: readonly string[];
  /** ARNs; `*` for actions without resources. */
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** Adds a statement that allows the actions to the role of the grantee. */
export const allowActions = (grantee: IGrantable, { actions, resources, conditions }: Allowed): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources], conditions }));
};
