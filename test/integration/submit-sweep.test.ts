import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { sendingPartitions } from '../../contract/deployment/keys.ts';
import { awsClientConfig } from '../../sandbox/deployment/aws-target.ts';
import { adminMachineToken } from './access-tokens.ts';
import { deployed, describeWith } from './deployment.ts';
import { invokeLambda } from './invoke-lambda.ts';
import { identityIdOf, jmapClient, mailboxIdOf } from './jmap-client.ts';
import { createUserWithAccount } from './user-with-account.ts';

describeWith('users', 'credentials')('sweeps that run at once', () => {
  const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(awsClientConfig(deployed)));
  afterAll(() => dynamodb.destroy());

  /** Says that the retention of a submission is over. */
  const endRetention = (submission_id: string): Promise<unknown> => {
    const expires = '2000-01-01T00:00:00.000Z';
    return dynamodb.send(
      new PutCommand({
        TableName: deployed.outputs['sendingTableName'],
        Item: { pk: sendingPartitions.retention, sk: `${expires}#${submission_id}`, submission_id, expires },
      }),
    );
  };

  test('remove the same submissions, although each loses races and then reads two partitions of the account at once', async () => {
    const person = await createUserWithAccount(await adminMachineToken(), `swept-${randomUUID().slice(0, 8)}`);
    const { email } = person;
    const client = await jmapClient((await person.signIn()).access_token);
    const drafts = await mailboxIdOf(client, 'drafts');
    const identityId = await identityIdOf(client, email);
    const names = Array.from({ length: 10 }, (_, index) => `held${index}`);
    const [written] = await client.call([
      'Email/set',
      {
        create: {
          draft: {
            mailboxIds: { [drafts]: true },
            from: [{ email }],
            to: [{ email }],
            subject: 'Never sent',
            textBody: [{ partId: '1', type: 'text/plain' }],
            bodyValues: { 1: { value: 'Hello' } },
          },
        },
      },
    ]);
    const { id: emailId } = (written!['created'] as Record<string, { id: string }>)['draft']!;
    const envelope = { mailFrom: { email, parameters: { HOLDFOR: '3600' } }, rcptTo: [{ email, parameters: null }] };
    const [held] = await client.call(['EmailSubmission/set', { create: Object.fromEntries(names.map((name) => [name, { emailId, identityId, envelope }])) }]);
    const ids = Object.values(held!['created'] as Record<string, { id: string }>).map(({ id }) => id);
    expect(ids).toHaveLength(names.length);
    const [canceled] = await client.call(['EmailSubmission/set', { update: Object.fromEntries(ids.map((id) => [id, { undoStatus: 'canceled' }])) }]);
    expect(canceled).toMatchObject({ notUpdated: null });
    for (const id of ids) await endRetention(id);
    await Promise.all([1, 2, 3].map(() => invokeLambda('submit-sweep')));
    const [got] = await client.call(['EmailSubmission/get', { ids }]);
    expect([...(got!['notFound'] as string[])].toSorted()).toEqual(ids.toSorted());
  });
});
