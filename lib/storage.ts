import { CustomResource, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { DeploymentContext } from './deployment-context.ts';
import type { LambdaCode } from './lambda-entries.ts';
import { LambdaFunction } from './lambda-function.ts';

export type StorageProps = { readonly removalPolicy: DeploymentContext['removalPolicy']; readonly code: LambdaCode };

/** Folders of the mail bucket. */
export type BucketFolder = 'inbound' | 'messages' | 'uploads' | 'downloads';

/** Days that objects of a folder live; `messages` live until they are deleted. What is in `inbound` was delivered, or waits among the dead letters. */
const expiryDays = { inbound: 30, uploads: 2, downloads: 1 } as const satisfies { [F in BucketFolder]?: number };

const read = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const write = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'];

/** What may be done with one item, or with those of one partition. */
type ItemAction = 'BatchGetItem' | 'DeleteItem' | 'GetItem' | 'PutItem' | 'Query' | 'UpdateItem';

/** Allows it on items whose partition key is like one of these, and on no others. */
const allow = (table: TableV2, grantee: IGrantable, actions: readonly ItemAction[], partitions: readonly string[]): void => {
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
  }));
};

/** The directory (who may do what) and the mail (what accounts hold): two tables and a bucket, kept when the stack goes unless told otherwise. */
export class Storage extends Construct {
  readonly directoryTable: TableV2;
  readonly mailTable: TableV2;
  /** Submissions, the outbox, bounces and complaints, suppression. */
  readonly sendingTable: TableV2;
  readonly mailBucket: Bucket;

  constructor(scope: Construct, id: string, { removalPolicy, code }: StorageProps) {
    super(scope, id);
    const keep = removalPolicy === 'retain';
    const table = (name: string, more: { timeToLiveAttribute?: string; dynamoStream?: StreamViewType } = {}) => new TableV2(this, name, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      ...more,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: keep,
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const dynamoStream = StreamViewType.NEW_IMAGE;
    this.directoryTable = table('Directory', { dynamoStream, timeToLiveAttribute: 'expiresAt' });
    this.mailTable = table('Mail', { dynamoStream, timeToLiveAttribute: 'expiresAt' });
    this.sendingTable = table('Sending');
    this.mailBucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // Large downloads are redirected to signed URLs here, which web clients of any origin follow.
      cors: [{ allowedOrigins: ['*'], allowedMethods: [HttpMethods.GET], allowedHeaders: ['*'], exposedHeaders: ['Content-Disposition'], maxAge: 86_400 }],
      removalPolicy: keep ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      lifecycleRules: [
        ...Object.entries(expiryDays).map(([folder, days]) => ({ id: `${folder}-expires`, prefix: `${folder}/`, expiration: Duration.days(days) })),
        { id: 'abort-multipart', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    if (!keep) this.emptyBucketOnRemoval(code);
  }

  /** CloudFormation deletes empty buckets only. */
  private emptyBucketOnRemoval(code: LambdaCode): void {
    const emptyBucket = new LambdaFunction(this, 'EmptyBucket', {
      code,
      name: 'empty-bucket',
      description: 'Empties the mail bucket when the stack is removed',
      timeout: Duration.minutes(15),
    });
    const bucketArn = this.mailBucket.bucketArn;
    emptyBucket.addToRolePolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [bucketArn] }));
    emptyBucket.addToRolePolicy(new PolicyStatement({ actions: ['s3:DeleteObject'], resources: [`${bucketArn}/*`] }));
    new CustomResource(this, 'EmptiedBucket', {
      resourceType: 'Custom::EmptiedBucket',
      serviceToken: emptyBucket.functionArn,
      serviceTimeout: Duration.minutes(16),
      properties: { bucketName: this.mailBucket.bucketName },
    });
  }

  grantReadDirectory(grantee: IGrantable): void {
    this.directoryTable.grant(grantee, ...read);
  }

  /** Acting on items of the directory whose partition key is one of these; `*` in it stands for anything. */
  grantOnDirectory(grantee: IGrantable, actions: readonly ItemAction[], ...partitions: string[]): void {
    allow(this.directoryTable, grantee, actions, partitions);
  }

  /** Learning who calls and what they may see. */
  grantFindPrincipals(grantee: IGrantable): void {
    this.grantOnDirectory(grantee, ['GetItem'], 'user');
    this.grantOnDirectory(grantee, ['Query'], 'member#*');
  }

  grantReadWriteDirectory(grantee: IGrantable): void {
    this.directoryTable.grant(grantee, ...read, ...write);
  }

  /** Adding to the audit log, and setting the outcome of an entry: the items whose partition key begins with `audit#`. */
  grantKeepAudit(grantee: IGrantable): void {
    this.grantOnDirectory(grantee, ['PutItem'], 'audit#*');
  }

  /** Changing items of the directory whose partition key is this one; `*` in it stands for anything. */
  grantKeepDirectory(grantee: IGrantable, ...partitions: string[]): void {
    this.grantOnDirectory(grantee, ['PutItem', 'UpdateItem', 'DeleteItem'], ...partitions);
  }

  grantReadWriteMail(grantee: IGrantable): void {
    this.mailTable.grant(grantee, ...read, ...write);
  }

  /** Making accounts: putting items of the kinds that a new one has. */
  grantMakeAccounts(grantee: IGrantable): void {
    allow(this.mailTable, grantee, ['PutItem'], ['acc_*#log', 'acc_*#mailbox']);
  }

  grantReadSending(grantee: IGrantable): void {
    this.sendingTable.grant(grantee, ...read);
  }

  grantReadWriteSending(grantee: IGrantable): void {
    this.sendingTable.grant(grantee, ...read, ...write);
  }

  /** Writing items of the sending table whose partition key is like one of these. */
  grantPutSending(grantee: IGrantable, ...partitions: string[]): void {
    allow(this.sendingTable, grantee, ['PutItem'], partitions);
  }

  /** WebSocket connections only: the items whose partition key begins with `connection#`, and those by which their principals are told. */
  grantKeepConnections(grantee: IGrantable): void {
    allow(this.mailTable, grantee, ['GetItem'], ['connection#*']);
    allow(this.mailTable, grantee, ['PutItem', 'DeleteItem'], ['connection#*', 'push#*']);
  }

  /** What the notifier needs: whom an account concerns, what listens, remembering what that was told (the table reads an item to learn whether a repeated write was done), and forgetting who is gone. */
  grantTellListeners(grantee: IGrantable): void {
    this.grantOnDirectory(grantee, ['Query'], 'account-member#*');
    this.grantOnDirectory(grantee, ['GetItem'], 'user');
    allow(this.mailTable, grantee, ['GetItem', 'Query', 'UpdateItem'], ['push#*']);
    allow(this.mailTable, grantee, ['DeleteItem'], ['push#*', 'connection#*']);
  }

  /** What Web Push needs of the mail table: how far accounts have come (their heads), and keeping what principals want to be told by. */
  grantTellSubscribers(grantee: IGrantable): void {
    allow(this.mailTable, grantee, ['GetItem', 'BatchGetItem'], ['push#*', 'acc_*#log']);
    allow(this.mailTable, grantee, ['UpdateItem', 'DeleteItem'], ['push#*']);
  }

  /** Reading objects of the folders. Without leave to list, S3 answers 403 for an object that is not there, and absence could not be told from a wrong grant. */
  grantReadObjects(grantee: IGrantable, ...folders: BucketFolder[]): void {
    this.grantObjects(grantee, 's3:GetObject', folders);
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.mailBucket.bucketArn] }));
  }

  grantPutObjects(grantee: IGrantable, ...folders: BucketFolder[]): void {
    this.grantObjects(grantee, 's3:PutObject', folders);
  }

  /** Listing and deleting objects of the folders. */
  grantRemoveObjects(grantee: IGrantable, ...folders: BucketFolder[]): void {
    this.grantObjects(grantee, 's3:DeleteObject', folders);
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:ListBucket'], resources: [this.mailBucket.bucketArn] }));
  }

  private grantObjects(grantee: IGrantable, action: string, folders: readonly BucketFolder[]): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources: folders.map((folder) => this.mailBucket.arnForObjects(`${folder}/*`)) }));
  }
}
