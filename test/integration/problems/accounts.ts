import { randomUUID } from 'node:crypto';
import { CreateUserPoolClientCommand, DeleteUserPoolClientCommand, paginateListUserPoolClients } from '@aws-sdk/client-cognito-identity-provider';
import { PutItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { directoryPartitions, mailPartitions } from '../../../contract/deployment/keys.ts';
import { waitingMail } from '../../../contract/deployment/waiting-mail.ts';
import { registrationLimits } from '../../../contract/oauth/registration.ts';
import { snapshotBounds } from '../../../core/account-index/snapshot/snapshot-name.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { removalKey } from '../../../core/directory/accounts/account-removals.ts';
import { adminMachineToken } from '../access-tokens.ts';
import { deployed } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { invokeLambda } from '../invoke-lambda.ts';
import { primaryDomain } from '../primary-domain.ts';
import { resetDailyCap } from '../registration-cap.ts';
import { composeMessage, putBehindSes } from '../send-by-smtp.ts';
import { createUserWithAccount } from '../user-with-account.ts';
import { admin, aws, resumeLambda, stopLambda } from './deployment-clients.ts';
import type { ProblemProvocation } from './problem-provocation.ts';

/** A new account, for one problem. */
const oneAccount = () => {
  let made: Awaited<ReturnType<typeof createUserWithAccount>>;
  const id = () => made.account.account_id;
  return {
    id,
    create: async () => {
      made = await createUserWithAccount(await adminMachineToken(), `problem-${randomUUID().slice(0, 8)}`);
    },
    allowEmails: (max_emails: number) => admin.accounts.UpdateAccount({ account_id: id(), max_emails }),
    arrive: async (text: string) => putBehindSes([made.email], await composeMessage({ from: 'carol@elsewhere.test', to: made.email, subject: text, text })),
    emails: async () => (await admin.accounts.GetAccount({ account_id: id() })).account.quota!.emails_used,
    deleteAccount: () => admin.accounts.DeleteAccount({ account_id: id() }),
    email: () => made.email,
    signInAddress: () => made.signInAddress,
    userId: () => made.user.user_id,
    deleteUser: () => admin.users.DeleteUser({ user_id: made.user.user_id }),
  };
};

type Changes = Readonly<Record<string, { readonly S: string } | { readonly N: string }>>;

/** Sets attributes of an item, to let time pass or work be left out. */
const setAttributes = async (table: 'directoryTableName' | 'mailTableName', { pk, sk }: { pk: string; sk: string }, values: Changes) => {
  const names = Object.keys(values);
  await aws.dynamodb.send(
    new UpdateItemCommand({
      TableName: deployed.outputs[table],
      Key: { pk: { S: pk }, sk: { S: sk } },
      UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: Object.fromEntries(names.map((name) => [`:${name}`, values[name]!])),
    }),
  );
};

/** The note of a message that could not be parsed. */
const unparsed = { pk: mailPartitions.unparsedMessages, sk: 'acc_any/Mhostile' };

const noteUntil = (seconds: number) =>
  aws.dynamodb.send(
    new PutItemCommand({
      TableName: deployed.outputs.mailTableName,
      Item: { pk: { S: unparsed.pk }, sk: { S: unparsed.sk }, expiresAt: { N: String(seconds) } },
    }),
  );

const [full, waiting, behind, gone, forwarding] = [oneAccount(), oneAccount(), oneAccount(), oneAccount(), oneAccount()];

const remove = (account: typeof full) => async () => {
  await account.deleteAccount();
  await account.deleteUser();
};

const delayedMail = async () => (await admin.monitoring.GetOverview({})).queues.find(({ name }) => name === waitingMail.name)!.approx_messages_delayed ?? 0;

/** An address at which SES simulates a bounce for good. */
const [bouncing, bouncingForward] = [1, 2].map(() => `bounce+${randomUUID().slice(0, 8)}@simulator.amazonses.com`) as [string, string];
const groupIds: string[] = [];

const UserPoolId = deployed.outputs['userPoolId'];
const clientIds: string[] = [];
const countAppClients = async (): Promise<number> => {
  let count = 0;
  for await (const { UserPoolClients = [] } of paginateListUserPoolClients({ client: aws.cognito }, { UserPoolId, MaxResults: 60 })) {
    count += UserPoolClients.length;
  }
  return count;
};

const day = 24 * 3_600_000;
const ago = (days: number): { readonly S: string } => ({ S: new Date(Date.now() - days * day).toISOString() });

export const accountProvocations = {
  ACCOUNT_NEARLY_FULL: {
    begin: async () => {
      await full.create();
      await full.arrive('one');
      await eventually(async () => expect(await full.emails()).toBeGreaterThan(0));
      await full.allowEmails(1);
      return full.id();
    },
    end: () => full.allowEmails(1000),
    cleanUp: remove(full),
  },
  MAIL_WAITING: {
    begin: async () => {
      await waiting.create();
      await waiting.allowEmails(1);
      const before = await delayedMail();
      await waiting.arrive('one');
      await waiting.arrive('two');
      await eventually(async () => expect(await delayedMail()).toBeGreaterThan(before));
      return undefined;
    },
    end: () => waiting.allowEmails(1000),
    cleanUp: remove(waiting),
  },
  SNAPSHOT_OLD: {
    begin: async () => {
      await behind.create();
      await stopLambda('indexer');
      await setAttributes('mailTableName', headKey(behind.id()), { logBytes: { N: String(10 * snapshotBounds.logBytes) } });
      return behind.id();
    },
    end: async () => {
      await resumeLambda('indexer');
      await behind.arrive('one');
    },
    cleanUp: remove(behind),
  },
  REMOVAL_FAILED: {
    runs: 2,
    begin: async () => {
      await gone.create();
      await stopLambda('account-removal');
      await gone.deleteAccount();
      await setAttributes('directoryTableName', removalKey(gone.id()), { begun_at: ago(30), removal_at: ago(3) });
      return gone.id();
    },
    end: async () => {
      await resumeLambda('account-removal');
      await invokeLambda('account-removal', { sweep: true });
    },
    cleanUp: gone.deleteUser,
  },
  FORWARDING_PAUSED: {
    begin: async () => {
      await forwarding.create();
      await admin.aliases.PutForwarding({ account_id: forwarding.id(), addresses: [bouncingForward] });
      // The link to the owner bounces.
      await eventually(async () => expect((await admin.suppression.GetSuppression({ recipient: bouncingForward })).suppression.bounce.level).toBe('HARD'));
      return `${bouncingForward} for ${forwarding.email()}`;
    },
    end: () => admin.aliases.DeleteForwarding({ account_id: forwarding.id() }),
    cleanUp: forwarding.deleteUser,
  },
  GROUP_MEMBER_PAUSED: {
    begin: async () => {
      const { id: domain_id } = await primaryDomain(await adminMachineToken());
      const { group } = await admin.aliases.CreateGroup({ local_part: `problem-${randomUUID().slice(0, 8)}`, domain_id });
      groupIds.push(group.group_id);
      await admin.aliases.AddGroupMembers({ group_id: group.group_id, addresses: [bouncing] });
      await putBehindSes([group.email], await composeMessage({ from: 'carol@elsewhere.test', to: group.email, subject: 'one', text: 'one' }));
      await eventually(async () => expect((await admin.suppression.GetSuppression({ recipient: bouncing })).suppression.bounce.level).toBe('HARD'));
      return `${bouncing} in ${group.email}`;
    },
    end: () => admin.suppression.ClearBounceSuppression({ recipient: bouncing }),
    cleanUp: async () => {
      for (const group_id of groupIds.splice(0)) await admin.aliases.DeleteGroup({ group_id });
    },
  },
  MESSAGE_UNPARSED: {
    begin: async () => {
      await noteUntil(Math.floor(Date.now() / 1000) + 3600);
      return unparsed.sk;
    },
    end: () => noteUntil(0),
  },
  REGISTRATIONS_USED_UP: {
    begin: async () => {
      const slots = Array.from({ length: registrationLimits.newInWindow }, (_, index) => ({
        M: { holder: { S: `problem-${index}` }, network: { S: 'abcd' }, until: { N: String(Date.now() + 3_600_000) }, isRegistered: { BOOL: true } },
      }));
      await aws.dynamodb.send(
        new PutItemCommand({
          TableName: deployed.outputs['directoryTableName'],
          Item: { pk: { S: directoryPartitions.clientRegistrationCap }, sk: { S: 'slots' }, version: { N: '1' }, slots: { L: slots } },
        }),
      );
      return undefined;
    },
    end: resetDailyCap,
  },
  APP_CLIENTS_NEAR_QUOTA: {
    begin: async () => {
      for (let count = await countAppClients(); count < registrationLimits.appClientQuota * registrationLimits.appClientAlarm; count++) {
        const { UserPoolClient } = await aws.cognito.send(new CreateUserPoolClientCommand({ UserPoolId, ClientName: `problem-${count}` }));
        clientIds.push(UserPoolClient!.ClientId!);
      }
      return undefined;
    },
    end: async () => {
      for (const ClientId of clientIds.splice(0)) await aws.cognito.send(new DeleteUserPoolClientCommand({ UserPoolId, ClientId }));
    },
  },
} satisfies Record<string, ProblemProvocation>;
