import { ArnFormat, Aws, CustomResource, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, Billing, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { receiptRuleName } from '../../contract/deployment/receipt-rule-set.ts';
import { recoveryDays, storedTables, streamViewType, timeToLiveAttribute, type StoredTable } from '../../contract/deployment/stored-data.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import { allowActions } from '../lambda/allow-actions.ts';
import { deploymentName } from '../lambda/deployment-stack.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';
import type { BucketFolder } from './allow-objects.ts';
import type { Storage } from './imported-storage.ts';

/** The ARN of the deployment's receipt rules, in whichever rule set is active. */
export const ownReceiptRules = (scope: Construct): string =>
  Stack.of(scope).formatArn({
    service: 'ses',
    resource: 'receipt-rule-set',
    resourceName: `*:receipt-rule/${receiptRuleName(deploymentName(scope), '*')}`,
    arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
  });

export type TablesAndBucketProps = { readonly removalPolicy: DeploymentContext['removalPolicy']; readonly code: LambdaCode };

/**
 * Days after which objects of a folder expire. `messages`, `media`, `snapshots` and `search` do not expire. A message in
 * `inbound` is already delivered, or its notification is a dead letter. A message in `outgoing` is removed after it is
 * sent, at the latest after the maximum delay of a submission.
 */
const expiryDays = { inbound: 30, uploads: 2, outgoing: 400 } as const satisfies { [F in BucketFolder]?: number };

/** Folders whose objects the tables refer to and that have no other copy. A restore needs their removed objects. */
const restoredFolders: readonly BucketFolder[] = ['messages', 'media', 'outgoing'];

/**
 * Folders whose removed objects a restore does not need: accounts have a copy of received mail, and the other objects
 * can be created again. One day is S3's minimum.
 */
const otherFolders: readonly BucketFolder[] = ['inbound', 'uploads', 'snapshots', 'search'];

/**
 * The tables of the directory (users, accounts, permissions), of mail (the content of accounts) and of sending, and the
 * bucket of messages. The removal policy decides whether they outlive the stack.
 */
export class TablesAndBucket extends Construct implements Storage {
  readonly directoryTable: TableV2;
  readonly mailTable: TableV2;
  /** Submissions, the outbox, bounces and complaints, suppression. */
  readonly sendingTable: TableV2;
  readonly mailBucket: Bucket;

  constructor(scope: Construct, id: string, { removalPolicy, code }: TablesAndBucketProps) {
    super(scope, id);
    const isRetained = removalPolicy === 'retain';
    const table = (id: string, name: StoredTable) =>
      new TableV2(this, id, {
        partitionKey: { name: 'pk', type: AttributeType.STRING },
        sortKey: { name: 'sk', type: AttributeType.STRING },
        timeToLiveAttribute,
        ...(storedTables[name].hasStream && { dynamoStream: StreamViewType[streamViewType] }),
        billing: Billing.onDemand(),
        encryption: TableEncryptionV2.dynamoOwnedKey(),
        pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true, recoveryPeriodInDays: recoveryDays },
        deletionProtection: isRetained,
        removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      });
    this.directoryTable = table('Directory', 'directory');
    this.mailTable = table('Mail', 'mail');
    this.sendingTable = table('Sending', 'sending');
    this.mailBucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      lifecycleRules: [
        ...Object.entries(expiryDays).map(([folder, days]) => ({ id: `${folder}-expires`, prefix: `${folder}/`, expiration: Duration.days(days) })),
        ...[...restoredFolders, ...otherFolders].map((folder) => ({
          id: `${folder}-versions`,
          prefix: `${folder}/`,
          noncurrentVersionExpiration: Duration.days(restoredFolders.includes(folder) ? recoveryDays : 1),
        })),
        { id: 'abort-multipart', abortIncompleteMultipartUploadAfter: Duration.days(1), expiredObjectDeleteMarker: true },
      ],
    });
    this.letMailArrive();
    if (!isRetained) this.emptyBucketOnRemoval(code);
  }

  /** Allows SES to store the mail that the receipt rules of the deployment accept. */
  private letMailArrive(): void {
    this.mailBucket.addToResourcePolicy(
      new PolicyStatement({
        sid: 'MailArrives',
        principals: [new ServicePrincipal('ses.amazonaws.com')],
        actions: ['s3:PutObject'],
        resources: [this.mailBucket.arnForObjects('inbound/*')],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID }, ArnLike: { 'aws:SourceArn': ownReceiptRules(this) } },
      }),
    );
  }

  /** Empties the bucket before it is deleted, because CloudFormation can only delete an empty bucket. */
  private emptyBucketOnRemoval(code: LambdaCode): void {
    const emptyBucket = new LambdaFunction(this, 'EmptyBucket', {
      code,
      name: 'empty-bucket',
      description: 'Empties the mail bucket when the stack is removed',
      timeout: Duration.minutes(15),
    });
    const bucketArn = this.mailBucket.bucketArn;
    allowActions(emptyBucket, { actions: ['s3:ListBucketVersions'], resources: [bucketArn] });
    allowActions(emptyBucket, { actions: ['s3:DeleteObject', 's3:DeleteObjectVersion'], resources: [`${bucketArn}/*`] });
    new CustomResource(this, 'EmptiedBucket', {
      resourceType: 'Custom::EmptiedBucket',
      serviceToken: emptyBucket.functionArn,
      serviceTimeout: Duration.minutes(16),
      properties: { bucketName: this.mailBucket.bucketName },
    });
  }
}
