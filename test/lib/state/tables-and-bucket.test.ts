import { synthesize, type Resource } from '../stack-under-test.ts';

const kept = synthesize({ domain: 'example.com' });
const passing = synthesize({ domain: 'example.com', removalPolicy: 'destroy' });
const tables = (of: typeof kept) => of.ofType('AWS::DynamoDB::GlobalTable');
const replica = ({ Properties }: Resource) => (Properties['Replicas'] as Record<string, unknown>[])[0]!;

describe('tables', () => {
  test('are three, with the keys pk and sk, on demand', () => {
    expect(tables(kept)).toHaveLength(3);
    for (const { Properties } of tables(kept)) {
      expect(Properties).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
      });
      expect(Properties).not.toHaveProperty('LocalSecondaryIndexes');
    }
  });

  test('have point-in-time recovery and are encrypted with DynamoDB’s own key', () => {
    for (const table of [...tables(kept), ...tables(passing)]) {
      expect(replica(table)).toMatchObject({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } });
      expect(table.Properties['SSESpecification']).toEqual({ SSEEnabled: false });
    }
  });

  test('have a time to live, expiresAt', () => {
    expect(tables(kept).map(({ Properties }) => Properties['TimeToLiveSpecification'])).toEqual(
      Array.from({ length: 3 }, () => ({ AttributeName: 'expiresAt', Enabled: true })),
    );
  });
});

describe('streams', () => {
  test('exist for the directory and mail tables, with new images, and not for the sending table', () => {
    expect(tables(kept).map(({ Properties }) => Properties['StreamSpecification'])).toEqual([
      { StreamViewType: 'NEW_IMAGE' },
      { StreamViewType: 'NEW_IMAGE' },
      undefined,
    ]);
  });
});

describe('the bucket', () => {
  const bucket = kept.ofType('AWS::S3::Bucket')[0]!;

  test('is private and encrypted, and its objects belong to its owner', () => {
    expect(kept.ofType('AWS::S3::Bucket')).toHaveLength(1);
    expect(bucket.Properties).toMatchObject({
      PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: true, IgnorePublicAcls: true, RestrictPublicBuckets: true },
      BucketEncryption: { ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }] },
      OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    });
  });

  test('needs TLS', () => {
    expect(kept.ofType('AWS::S3::BucketPolicy')[0]!.Properties).toMatchObject({
      PolicyDocument: {
        Statement: expect.arrayContaining([
          expect.objectContaining({ Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ]),
      },
    });
  });

  test('expires received mail after 30 days, uploads after 2 and outgoing mail after 400, and no messages', () => {
    const { Rules } = bucket.Properties['LifecycleConfiguration'] as { Rules: Record<string, unknown>[] };
    expect(Rules.map(({ Prefix, ExpirationInDays, AbortIncompleteMultipartUpload }) => [Prefix, ExpirationInDays, AbortIncompleteMultipartUpload])).toEqual([
      ['inbound/', 30, undefined],
      ['uploads/', 2, undefined],
      ['outgoing/', 400, undefined],
      ...['messages/', 'media/', 'outgoing/', 'inbound/', 'uploads/', 'snapshots/', 'search/'].map((folder) => [folder, undefined, undefined]),
      [undefined, undefined, { DaysAfterInitiation: 1 }],
    ]);
  });

  test('keeps versions of messages as long as the tables can be restored, and those of other objects for a day', () => {
    expect(bucket.Properties['VersioningConfiguration']).toEqual({ Status: 'Enabled' });
    const recovery = tables(kept).map((table) => (replica(table)['PointInTimeRecoverySpecification'] as Record<string, unknown>)['RecoveryPeriodInDays']);
    expect(recovery).toEqual([35, 35, 35]);
    const { Rules } = bucket.Properties['LifecycleConfiguration'] as { Rules: Record<string, unknown>[] };
    const days = Rules.filter((rule) => rule['NoncurrentVersionExpiration']).map((rule) => [
      rule['Prefix'],
      (rule['NoncurrentVersionExpiration'] as Record<string, unknown>)['NoncurrentDays'],
    ]);
    expect(Object.fromEntries(days)).toEqual({ 'messages/': 35, 'media/': 35, 'outgoing/': 35, 'inbound/': 1, 'uploads/': 1, 'snapshots/': 1, 'search/': 1 });
    expect(Rules.filter((rule) => rule['ExpiredObjectDeleteMarker'] === true)).toHaveLength(1);
  });

  test('lets SES put objects under inbound/ only, for receipt rules of this account only', () => {
    const { Statement } = kept.ofType('AWS::S3::BucketPolicy')[0]!.Properties['PolicyDocument'] as { Statement: Record<string, unknown>[] };
    const allowed = Statement.filter(({ Effect }) => Effect === 'Allow');
    expect(allowed).toHaveLength(1);
    expect(allowed[0]).toMatchObject({
      Principal: { Service: 'ses.amazonaws.com' },
      Action: 's3:PutObject',
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } }, ArnLike: { 'aws:SourceArn': expect.anything() } },
    });
    expect(JSON.stringify(allowed[0]!['Resource'])).toContain('/inbound/*');
  });
});

describe('backupDays', () => {
  const backedUp = synthesize({ domain: 'example.com', backupDays: 365 });

  test('makes a daily backup of the three tables and the bucket, and keeps each for so many days', () => {
    const [plan] = backedUp.ofType('AWS::Backup::BackupPlan');
    expect(plan!.Properties).toMatchObject({
      BackupPlan: { BackupPlanRule: [{ ScheduleExpression: 'cron(0 3 * * ? *)', Lifecycle: { DeleteAfterDays: 365 } }] },
    });
    const [selection] = backedUp.ofType('AWS::Backup::BackupSelection');
    const { Resources } = (selection!.Properties as { BackupSelection: { Resources: unknown[] } }).BackupSelection;
    expect(Resources).toHaveLength(4);
    for (const name of ['StorageDirectory', 'StorageMail', 'StorageSending', 'StorageBucket']) expect(JSON.stringify(Resources)).toContain(`"${name}`);
  });

  test('keeps the vault when the stack is removed, not when its creation fails, and lets only AWS Backup assume the role', () => {
    expect(backedUp.ofType('AWS::Backup::BackupVault')[0]).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: { BackupVaultName: 'Postrider' },
    });
    const [role] = backedUp.ofType('AWS::IAM::Role').filter(({ id }) => id.startsWith('Backups'));
    expect(role!.Properties).toMatchObject({
      AssumeRolePolicyDocument: { Statement: [{ Principal: { Service: 'backup.amazonaws.com' }, Action: 'sts:AssumeRole' }] },
    });
  });

  test('without it there is no vault', () => {
    expect(kept.ofType('AWS::Backup::BackupVault')).toEqual([]);
  });
});

describe('removalPolicy', () => {
  const held = (of: typeof kept) => [...tables(of), ...of.ofType('AWS::S3::Bucket'), ...of.ofType('AWS::Cognito::UserPool')];

  test('retain: tables, bucket and user pool outlive the stack and have deletion protection', () => {
    expect(held(kept).map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(held(kept).map(() => 'Retain'));
    for (const table of tables(kept)) expect(replica(table)['DeletionProtectionEnabled']).toBe(true);
    expect(kept.ofType('AWS::Cognito::UserPool')[0]!.Properties['DeletionProtection']).toBe('ACTIVE');
  });

  test('destroy: everything is deleted, the bucket’s objects first', () => {
    expect(held(passing).map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(held(passing).map(() => 'Delete'));
    for (const table of tables(passing)) expect(replica(table)['DeletionProtectionEnabled']).toBe(false);
    expect(passing.ofType('Custom::EmptiedBucket')).toHaveLength(1);
    expect(kept.ofType('Custom::EmptiedBucket')).toHaveLength(0);
  });

  test('destroy: the receipt rules are deleted before the bucket is emptied: the stack of the bucket is removed last', () => {
    expect(passing.templates.services.Resources).toHaveProperty(passing.ofType('Custom::ReceiptRules')[0]!.id);
    expect(passing.templates.data.Resources).toHaveProperty(passing.ofType('Custom::EmptiedBucket')[0]!.id);
  });
});
