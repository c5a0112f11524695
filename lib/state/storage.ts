import { CustomResource, Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AttributeType, Billing, StreamViewType, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, HttpMethods, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { allowActions } from '../lambda/allow-actions.ts';
import type { DeploymentContext } from '../deployment-context.ts';
import type { LambdaCode } from '../lambda/lambda-entries.ts';
import { LambdaFunction } from '../lambda/lambda-function.ts';

export type StorageProps = { readonly removalPolicy: DeploymentContext['removalPolicy']; readonly code: LambdaCode };

/** Folders of the mail bucket. */
type BucketFolder = 'inbound' | 'messages' | 'uploads' | 'outgoing' | 'snapshots' | 'search' | 'downloads';

/**
 * Days after which objects of a folder expire. `messages`, `snapshots` and `search` do not expire. A message in
 * `inbound` is already delivered, or its notification is a dead letter. A message in `outgoing` is removed after it is
 * sent, at the latest after the maximum delay of a submission.
 */
const expiryDays = { inbound: 30, uploads: 2, downloads: 1, outgoing: 400 } as const satisfies { [F in BucketFolder]?: number };

const readActions = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const writeActions = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'];

/** Actions that DynamoDB can limit by partition key. */
type ItemAction = 'BatchGetItem' | 'ConditionCheckItem' | 'DeleteItem' | 'GetItem' | 'PutItem' | 'Query' | 'UpdateItem';

/** Allows actions on the items whose partition key matches one of the patterns. */
const grantItems = (table: TableV2, grantee: IGrantable, actions: readonly ItemAction[], partitions: readonly string[]): void => {
  allowActions(grantee, {
    actions: actions.map((action) => `dynamodb:${action}`),
    resources: [table.tableArn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions } },
  });
};

/**
 * The tables of the directory (users, accounts, permissions), of mail (the content of accounts) and of sending, and the
 * bucket of messages. The removal policy decides whether they outlive the stack.
 */
export class Storage extends Construct {
  readonly directoryTable: TableV2;
  readonly mailTable: TableV2;
  /** Submissions, the outbox, bounces and complaints, suppression. */
  readonly sendingTable: TableV2;
  readonly mailBucket: Bucket;

  constructor(scope: Construct, id: string, { removalPolicy, code }: StorageProps) {
    super(scope, id);
    const isRetained = removalPolicy === 'retain';
    type Options = { timeToLiveAttribute?: string; dynamoStream?: StreamViewType };
    const table = (name: string, options: Options = {}) => new TableV2(this, name, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      ...options,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: isRetained,
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    const dynamoStream = StreamViewType.NEW_IMAGE;
    this.directoryTable = table('Directory', { dynamoStream, timeToLiveAttribute: 'expiresAt' });
    this.mailTable = table('Mail', { dynamoStream, timeToLiveAttribute: 'expiresAt' });
    this.sendingTable = table('Sending', { timeToLiveAttribute: 'expiresAt' });
    this.mailBucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      // Large downloads are redirected to signed URLs of this bucket, which web clients of any origin follow.
      cors: [{
        allowedOrigins: ['*'],
        allowedMethods: [HttpMethods.GET],
        allowedHeaders: ['*'],
        exposedHeaders: ['Content-Disposition', 'Accept-Ranges', 'Content-Range', 'ETag'],
        maxAge: 86_400,
      }],
      removalPolicy: isRetained ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
      lifecycleRules: [
        ...Object.entries(expiryDays).map(([folder, days]) =>
          ({ id: `${folder}-expires`, prefix: `${folder}/`, expiration: Duration.days(days) })),
        { id: 'abort-multipart', abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    if (!isRetained) this.emptyBucketOnRemoval(code);
  }

  /** CloudFormation can only delete an empty bucket. */
  private emptyBucketOnRemoval(code: LambdaCode): void {
    const emptyBucket = new LambdaFunction(this, 'EmptyBucket', {
      code,
      name: 'empty-bucket',
      description: 'Empties the mail bucket when the stack is removed',
      timeout: Duration.minutes(15),
    });
    const bucketArn = this.mailBucket.bucketArn;
    allowActions(emptyBucket, { actions: ['s3:ListBucket'], resources: [bucketArn] });
    allowActions(emptyBucket, { actions: ['s3:DeleteObject'], resources: [`${bucketArn}/*`] });
    new CustomResource(this, 'EmptiedBucket', {
      resourceType: 'Custom::EmptiedBucket',
      serviceToken: emptyBucket.functionArn,
      serviceTimeout: Duration.minutes(16),
      properties: { bucketName: this.mailBucket.bucketName },
    });
  }

  grantReadDirectory(grantee: IGrantable): void {
    this.directoryTable.grant(grantee, ...readActions);
  }

  /** Allows actions on the directory's items whose partition key matches one of the patterns (`*` matches any text). */
  grantDirectoryItems(grantee: IGrantable, actions: readonly ItemAction[], ...partitions: string[]): void {
    grantItems(this.directoryTable, grantee, actions, partitions);
  }

  /** Allows reading a caller's user and the accounts that they are a member of. */
  grantReadPrincipals(grantee: IGrantable): void {
    this.grantDirectoryItems(grantee, ['GetItem'], 'user');
    this.grantDirectoryItems(grantee, ['Query'], 'member#*');
  }

  /** Allows conditions of transactions on items that they do not write. */
  grantCheckDirectory(grantee: IGrantable): void {
    this.directoryTable.grant(grantee, 'dynamodb:ConditionCheckItem');
  }

  grantReadWriteDirectory(grantee: IGrantable): void {
    this.directoryTable.grant(grantee, ...readActions, ...writeActions);
  }

  /** Allows storing the random secrets of the deployment. */
  grantStoreSecrets(grantee: IGrantable): void {
    for (const table of [this.directoryTable, this.mailTable]) grantItems(table, grantee, ['GetItem', 'PutItem'], ['secret']);
  }

  /** Allows reading the secret of Web Push. */
  grantReadVapidSecret(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem'], ['secret']);
  }

  /** Allows adding entries to the audit log and setting their outcome. */
  grantWriteAudit(grantee: IGrantable): void {
    this.grantDirectoryItems(grantee, ['PutItem'], 'audit#*');
  }

  /** Allows writing the directory's items whose partition key matches one of the patterns. */
  grantWriteDirectory(grantee: IGrantable, ...partitions: string[]): void {
    this.grantDirectoryItems(grantee, ['PutItem', 'UpdateItem', 'DeleteItem'], ...partitions);
  }

  grantReadWriteMail(grantee: IGrantable): void {
    this.mailTable.grant(grantee, ...readActions, ...writeActions);
  }

  /** Allows deleting all items of accounts. */
  grantRemoveMail(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'Query', 'DeleteItem'], ['acc_*']);
  }

  /**
   * Allows removing the remains of destroyed Emails, failed commits and the search index: reading accounts, changing
   * their heads, stored contents and references, and removing raw messages, search segments and prepared downloads.
   */
  grantCleanUpMail(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'BatchGetItem', 'Query'], ['acc_*']);
    grantItems(this.mailTable, grantee, ['UpdateItem'], ['acc_*#log', 'acc_*#email']);
    grantItems(this.mailTable, grantee, ['PutItem'], ['acc_*#email', 'acc_*#ref']);
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['acc_*#ref', 'acc_*#blob']);
    grantItems(this.mailTable, grantee, ['ConditionCheckItem'], ['acc_*#ref']);
    this.grantReadObjects(grantee, 'snapshots', 'search');
    this.grantDeleteObjects(grantee, 'messages', 'search', 'downloads');
  }

  /**
   * Allows creating accounts in the mail table with the kinds of items that a new account has, reading and setting the
   * quotas of accounts, and reading after a lost response what was written.
   */
  grantManageAccounts(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'BatchGetItem', 'UpdateItem'], ['acc_*#log']);
    grantItems(this.mailTable, grantee, ['PutItem'], ['acc_*#log', 'acc_*#mailbox', 'acc_*#identity', 'acc_*#quota']);
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['acc_*#quota']);
  }

  /** Allows reading and writing Identities without the rest of the mail: with the heads of accounts, and log items. */
  grantWriteIdentities(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'UpdateItem'], ['acc_*#log']);
    grantItems(this.mailTable, grantee, ['Query'], ['acc_*#identity']);
    grantItems(this.mailTable, grantee, ['PutItem'], ['acc_*#log', 'acc_*#identity']);
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['acc_*#identity']);
  }

  /**
   * Allows changing EmailSubmissions without loading accounts: reading heads, log items and these records, and writing
   * them.
   */
  grantChangeSubmissions(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['BatchGetItem', 'UpdateItem', 'PutItem'], ['acc_*#log']);
    grantItems(this.mailTable, grantee, ['BatchGetItem', 'PutItem', 'DeleteItem'], ['acc_*#emailsubmission']);
  }

  /** Allows reading the directory items that decide who may send (`core/directory/aliases/may-send.ts`). */
  grantReadSendingRights(grantee: IGrantable): void {
    this.grantDirectoryItems(
      grantee, ['BatchGetItem'], 'account', 'user', 'account-member#*', 'address', 'domain-name', 'alias', 'domain',
    );
  }

  /**
   * Allows changing EmailSubmissions, and delivering reports about undelivered mail into accounts, which adds items of
   * most kinds.
   */
  grantDeliverReports(grantee: IGrantable): void {
    const actions = ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'] as const;
    grantItems(this.mailTable, grantee, actions, ['acc_*']);
    this.grantPutObjects(grantee, 'messages');
    this.grantObjects(grantee, 's3:DeleteObject', ['messages']);
  }

  /** Allows reading the records of Emails by id, and which Emails refer to a blob. */
  grantReadEmailRecords(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['BatchGetItem'], ['acc_*#email']);
    grantItems(this.mailTable, grantee, ['Query'], ['acc_*#blob']);
  }

  /** Allows reading whether a domain receives mail. */
  grantReadReceivingDomains(grantee: IGrantable): void {
    this.grantDirectoryItems(grantee, ['GetItem'], 'domain-name');
  }

  /** Allows clearing the suppression of addresses: reading and putting their records. */
  grantClearSuppression(grantee: IGrantable): void {
    grantItems(this.sendingTable, grantee, ['GetItem', 'PutItem'], ['suppression']);
  }

  grantReadSending(grantee: IGrantable): void {
    this.sendingTable.grant(grantee, ...readActions);
  }

  grantReadWriteSending(grantee: IGrantable): void {
    this.sendingTable.grant(grantee, ...readActions, ...writeActions);
  }

  /** Allows reading the submissions of accounts, and creating and canceling them. */
  grantSubmissions(grantee: IGrantable): void {
    grantItems(this.sendingTable, grantee, ['BatchGetItem', 'UpdateItem'], ['submission#*']);
    grantItems(this.sendingTable, grantee, ['DeleteItem'], ['outbox']);
    this.grantPutSending(grantee, 'submission#*', 'outbox', 'retention');
  }

  /** Allows putting the sending table's items whose partition key matches one of the patterns. */
  grantPutSending(grantee: IGrantable, ...partitions: string[]): void {
    grantItems(this.sendingTable, grantee, ['PutItem'], partitions);
  }

  /**
   * Allows reading and writing WebSocket connections (`connection#…`) and their entries in the principals' listeners
   * (`push#…`), and listing those.
   */
  grantReadWriteConnections(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem'], ['connection#*']);
    grantItems(this.mailTable, grantee, ['Query'], ['push#*']);
    grantItems(this.mailTable, grantee, ['PutItem', 'DeleteItem'], ['connection#*', 'push#*']);
  }

  /**
   * Allows the calls of the notify Lambda: reading the members of an account and their listeners, storing the position
   * of each listener, and deleting closed connections. After a retried write it reads the table to learn whether the
   * first attempt succeeded.
   */
  grantNotifyListeners(grantee: IGrantable): void {
    this.grantDirectoryItems(grantee, ['Query'], 'account-member#*');
    this.grantDirectoryItems(grantee, ['GetItem'], 'user');
    grantItems(this.mailTable, grantee, ['GetItem', 'Query', 'UpdateItem'], ['push#*']);
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['push#*', 'connection#*']);
  }

  /**
   * Allows the push-delivery Lambda's calls to the mail table: reading the heads of accounts, reading and writing
   * listeners, and deleting closed connections.
   */
  grantNotifySubscribers(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'BatchGetItem'], ['push#*', 'acc_*#log']);
    grantItems(this.mailTable, grantee, ['UpdateItem', 'DeleteItem'], ['push#*']);
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['connection#*']);
  }

  /**
   * Allows the indexer's calls: reading accounts and their messages, changing their heads, deleting old log items,
   * reading and writing snapshots and search segments, and removing snapshots.
   */
  grantIndexAccounts(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'Query'], ['acc_*']);
    grantItems(this.mailTable, grantee, ['BatchGetItem'], ['acc_*#email']);
    grantItems(this.mailTable, grantee, ['DeleteItem', 'UpdateItem'], ['acc_*#log']);
    this.grantReadObjects(grantee, 'messages', 'snapshots', 'search');
    this.grantPutObjects(grantee, 'snapshots', 'search');
    this.grantObjects(grantee, 's3:DeleteObject', ['snapshots']);
  }

  /**
   * Allows reading objects of the folders. `s3:ListBucket` makes S3 answer 404 instead of 403 for an object that does
   * not exist.
   */
  grantReadObjects(grantee: IGrantable, ...folders: BucketFolder[]): void {
    this.grantObjects(grantee, 's3:GetObject', folders);
    allowActions(grantee, { actions: ['s3:ListBucket'], resources: [this.mailBucket.bucketArn] });
  }

  grantPutObjects(grantee: IGrantable, ...folders: BucketFolder[]): void {
    this.grantObjects(grantee, 's3:PutObject', folders);
  }

  /** Allows listing and deleting objects of the folders. */
  grantDeleteObjects(grantee: IGrantable, ...folders: BucketFolder[]): void {
    this.grantObjects(grantee, 's3:DeleteObject', folders);
    allowActions(grantee, { actions: ['s3:ListBucket'], resources: [this.mailBucket.bucketArn] });
  }

  /** Allows storing raw messages that are to be sent, and deleting them. */
  grantStoreOutgoing(grantee: IGrantable): void {
    this.grantPutObjects(grantee, 'outgoing');
    this.grantDeleteOutgoing(grantee);
  }

  /** Allows deleting raw messages that are sent, by their keys. */
  grantDeleteOutgoing(grantee: IGrantable): void {
    this.grantObjects(grantee, 's3:DeleteObject', ['outgoing']);
  }

  private grantObjects(grantee: IGrantable, action: string, folders: readonly BucketFolder[]): void {
    allowActions(grantee, { actions: [action], resources: folders.map((folder) => this.mailBucket.arnForObjects(`${folder}/*`)) });
  }
}
