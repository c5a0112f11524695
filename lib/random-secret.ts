import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';

/** 64 random letters and digits that Secrets Manager makes when the stack is made, and that nobody but the granted Lambdas sees: something to derive keys from. */
export class RandomSecret extends Secret {
  constructor(scope: Construct, id: string, description: string) {
    super(scope, id, { description, generateSecretString: { passwordLength: 64, excludePunctuation: true } });
  }

  grantReadValue(grantee: IGrantable): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ['secretsmanager:GetSecretValue'], resources: [this.secretArn] }));
  }
}
