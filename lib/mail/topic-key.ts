import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { allowActions } from '../lambda/allow-actions.ts';

/** The KMS actions of a publisher to an encrypted topic (Amazon SNS Developer Guide, "Key management"). */
const publisherActions = ['kms:GenerateDataKey*', 'kms:Decrypt'];

/**
 * A customer managed key of KMS that encrypts the topics of SNS. AWS's own key `alias/aws/sns` does not allow SES and
 * CloudWatch to publish.
 */
export class TopicKey extends Construct {
  readonly key: Key;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.key = new Key(this, 'Key', { description: 'Encrypts mail notifications, events and problems in SNS', enableKeyRotation: true });
    this.key.addToResourcePolicy(
      new PolicyStatement({ sid: 'AllowSes', principals: [new ServicePrincipal('ses.amazonaws.com')], actions: publisherActions, resources: ['*'] }),
    );
    this.key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AllowCloudWatchAlarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: publisherActions,
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    );
  }

  /** Allows publishing to the topics. */
  grantPublish(grantee: IGrantable): void {
    allowActions(grantee, { actions: ['kms:GenerateDataKey', 'kms:Decrypt'], resources: [this.key.keyArn] });
  }
}
