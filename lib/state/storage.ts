import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable, IPrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket, type IBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { allowActions } from '../lambda/allow-actions.ts';
import { sharedValue } from '../lambda/shared-values.ts';

/** Folders of the mail bucket. */
export type BucketFolder = 'inbound' | 'messages' | 'uploads' | 'media' | 'outgoing' | 'snapshots' | 'search' | 'downloads';

const readActions = ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'];
const writeActions = ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'];

/** Actions that DynamoDB can limit by partition key. */
type ItemAction = 'BatchGetItem' | 'ConditionCheckItem' | 'DeleteItem' | 'GetItem' | 'PutItem' | 'Query' | 'UpdateItem';

/** The patterns of partition keys for each action on a table, by the principal that may make it. */
const grantedPartitions = new WeakMap<IPrincipal, Map<ITableV2, Map<ItemAction, string[]>>>();

const entryOf = <Key, Value>(map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown }, key: Key, create: () => Value): Value => {
  const found = map.get(key) ?? create();
  map.set(key, found);
  return found;
};

/**
 * Allows actions on the items whose partition key matches one of the patterns. All patterns of a principal, table and action
 * are in one statement, because IAM compares all keys of a batch or transaction with one statement. A later grant adds
 * patterns to the list that the statement has. CDK merges the statements of actions with equal patterns.
 */
const grantItems = (table: ITableV2, grantee: IGrantable, actions: readonly ItemAction[], partitions: readonly string[]): void => {
  const granted = entryOf(entryOf(grantedPartitions, grantee.grantPrincipal, () => new Map()), table, () => new Map<ItemAction, string[]>());
  for (const action of actions) {
    const isNew = !granted.has(action);
    const patterns = entryOf(granted, action, (): string[] => []);
    patterns.push(...partitions.filter((partition) => !patterns.includes(partition)));
    patterns.sort();
    if (!isNew) continue;
    allowActions(grantee, {
      actions: [`dynamodb:${action}`],
      resources: [table.tableArn],
      conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': patterns } },
    });
  }
};

/** The tables and the bucket. */
export type StoredResources = {
  readonly directoryTable: ITableV2;
  readonly mailTable: ITableV2;
  readonly sendingTable: ITableV2;
  readonly mailBucket: IBucket;
};

/**
 * Access to the tables of the directory (users, accounts, permissions), of mail (the content of accounts) and of
 * sending, and to the bucket of messages. `StoredMail` creates them, in another stack than most of their users.
 */
export class Storage extends Construct implements StoredResources {
  readonly directoryTable: ITableV2;
  readonly mailTable: ITableV2;
  /** Submissions, the outbox, bounces and complaints, suppression. */
  readonly sendingTable: ITableV2;
  readonly mailBucket: IBucket;

  /** @param resourcesIn returns the tables and the bucket. It may construct references to them in the scope. */
  constructor(scope: Construct, id: string, resourcesIn: (scope: Construct) => StoredResources) {
    super(scope, id);
    const { directoryTable, mailTable, sendingTable, mailBucket } = resourcesIn(this);
    this.directoryTable = directoryTable;
    this.mailTable = mailTable;
    this.sendingTable = sendingTable;
    this.mailBucket = mailBucket;
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

  /** Allows transactions to check conditions on items that they do not write. */
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

  /** Allows reading the heads of accounts. */
  grantReadHeads(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['BatchGetItem'], ['acc_*#log']);
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
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['acc_*#ref', 'acc_*#blob', 'acc_*#destroyed', 'destroyed-mail-due']);
    grantItems(this.mailTable, grantee, ['Query'], ['destroyed-mail-due']);
    grantItems(this.mailTable, grantee, ['ConditionCheckItem'], ['acc_*#ref']);
    this.grantReadObjects(grantee, 'snapshots', 'search');
    this.grantDeleteObjects(grantee, 'messages', 'media', 'search', 'downloads');
    this.grantEraseObjects(grantee, 'messages', 'downloads');
  }

  /**
   * Allows creating accounts in the mail table with the initial kinds of items, reading and setting the quotas of
   * accounts, and reading written items after a lost response.
   */
  grantManageAccounts(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'BatchGetItem', 'UpdateItem'], ['acc_*#log']);
    grantItems(this.mailTable, grantee, ['PutItem'], ['acc_*#log', 'acc_*#mailbox', 'acc_*#identity', 'acc_*#quota']);
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['acc_*#quota']);
  }

  /**
   * Allows restoring and purging destroyed Emails: reading accounts and their snapshots, and writing Emails, references,
   * Threads and Mailboxes.
   */
  grantRestoreMail(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['GetItem', 'BatchGetItem', 'Query'], ['acc_*']);
    grantItems(this.mailTable, grantee, ['PutItem'], ['acc_*#log', 'acc_*#row', 'acc_*#ref', 'acc_*#mailbox']);
    grantItems(this.mailTable, grantee, ['UpdateItem'], ['acc_*#log', 'acc_*#email', 'acc_*#ref']);
    grantItems(this.mailTable, grantee, ['DeleteItem'], ['acc_*#destroyed']);
    this.grantReadObjects(grantee, 'snapshots');
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

  /** Allows reading the heads of accounts with their counts of uploaded octets, and changing the counts. */
  grantCountUploads(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['BatchGetItem'], ['acc_*#log', 'acc_*#uploads']);
    grantItems(this.mailTable, grantee, ['UpdateItem'], ['acc_*#uploads']);
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

  /** Allows recording received messages. */
  grantRecordReceived(grantee: IGrantable): void {
    grantItems(this.sendingTable, grantee, ['PutItem'], ['received#*', 'received-by#*']);
    grantItems(this.sendingTable, grantee, ['UpdateItem'], ['received#*']);
  }

  /** Allows reading what became of received messages: bounces, and the Emails, Mailboxes and heads of accounts. */
  grantReadReceivedOutcomes(grantee: IGrantable): void {
    grantItems(this.mailTable, grantee, ['BatchGetItem'], ['bounce#*', 'acc_*#log', 'acc_*#email', 'acc_*#row', 'acc_*#mailbox']);
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
   * of each listener, and deleting closed connections. After a retried write it reads the table to find out whether the
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
    grantItems(this.mailTable, grantee, ['PutItem'], ['destroyed-mail-due']);
    this.grantReadObjects(grantee, 'messages', 'snapshots', 'search');
    this.grantPutObjects(grantee, 'snapshots', 'search');
    this.grantObjects(grantee, 's3:DeleteObject', ['snapshots']);
  }

  /**
   * Allows reading objects of the folders. With `s3:ListBucket`, S3 responds with 404 instead of 403 for an object that
   * does not exist.
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

  /** Allows listing and deleting versions of objects of the folders. */
  grantEraseObjects(grantee: IGrantable, ...folders: BucketFolder[]): void {
    this.grantObjects(grantee, 's3:DeleteObjectVersion', folders);
    allowActions(grantee, { actions: ['s3:ListBucketVersions'], resources: [this.mailBucket.bucketArn] });
  }

  /** Allows storing the raw messages of submissions, and deleting them. */
  grantStoreOutgoing(grantee: IGrantable): void {
    this.grantPutObjects(grantee, 'outgoing');
    this.grantDeleteOutgoing(grantee);
  }

  /** Allows deleting the raw messages of sent mail, by their keys. */
  grantDeleteOutgoing(grantee: IGrantable): void {
    this.grantObjects(grantee, 's3:DeleteObject', ['outgoing']);
  }

  private grantObjects(grantee: IGrantable, action: string, folders: readonly BucketFolder[]): void {
    allowActions(grantee, { actions: [action], resources: folders.map((folder) => this.mailBucket.arnForObjects(`${folder}/*`)) });
  }
}

/**
 * The tables and the bucket of another stack of the deployment.
 * @param hasStreams whether the stack reads the streams of tables.
 */
export const sharedStorage = (scope: Construct, id: string, { hasStreams }: { readonly hasStreams: boolean }): Storage =>
  new Storage(scope, id, (storage) => {
    const table = (name: 'directory' | 'mail' | 'sending', hasStream: boolean): ITableV2 => {
      const attributes = { tableName: sharedValue(scope, `${name}TableName`) };
      const constructId = `${name[0]!.toUpperCase()}${name.slice(1)}`;
      if (!hasStream) return TableV2.fromTableAttributes(storage, constructId, attributes);
      return TableV2.fromTableAttributes(storage, constructId, { ...attributes, tableStreamArn: sharedValue(scope, `${name}TableStreamArn`) });
    };
    return {
      directoryTable: table('directory', hasStreams),
      mailTable: table('mail', hasStreams),
      sendingTable: table('sending', false),
      mailBucket: Bucket.fromBucketName(storage, 'Bucket', sharedValue(scope, 'mailBucketName')),
    };
  });
