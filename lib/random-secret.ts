import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { allowActions } from './allow-actions.ts';

/**
 * A secret of 64 random letters and digits to derive keys from. Secrets Manager generates it when the stack is created.
 * Only the Lambdas that are granted it can read it.
 */
export class RandomSecret extends Secret {
  constructor(scope: Construct, id: string, description: string) {
    super(scope, id, { description, generateSecretString: { passwordLength: 64, excludePunctuation: true } });
  }

  grantReadValue(grantee: IGrantable): void {
    allowActions(grantee, { actions: ['secretsmanager:GetSecretValue'], resources: [this.secretArn] });
  }
}
