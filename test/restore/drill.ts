import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { restoreDeployment, type RestoreReport } from '../../cli/admin/restore/restore-deployment.ts';
import { inSeconds } from '../../cli/admin/restore/restore-plan.ts';
import { readPartition } from '../../cli/admin/restore/steps/table-items.ts';
import { objectKeys } from '../../core/storage/object-keys.ts';
import { awsClientConfig, emulatorEnvironment } from '../../sandbox/deployment/aws-target.ts';
import { deploy, synthesize } from '../../sandbox/deployment/cdk-deployment.ts';
import { projectDirectory, type StateDirectory } from '../../sandbox/state/state-directory.ts';
import type { RunningSandbox } from '../../sandbox/supervisor.ts';
import { mailClientOf, sentSubjects, submitHeld, subjectsWith, untilFound, type MailClient } from '../upgrade/mail-client.ts';
import { contentOfTable, deleteAccountItems, eraseObject } from './disaster.ts';
import { Killed, killableClients } from './killed-clients.ts';
import { accessAtCommandLine, loseRecord, registerProgram } from './mail-programs.ts';
import { downloads, seenBy } from './mailbox.ts';
import { changesError, deliver, sortMail } from './people-in-drill.ts';

/** The result of one check of a drill. */
export type Finding = { readonly what: string; readonly isMet: boolean; readonly found: string };

export type Drill = { readonly sandbox: RunningSandbox; readonly state: StateDirectory; readonly say: (line: string) => void };

type Seen = Awaited<ReturnType<typeof seenBy>>;
type Place = { readonly table: string; readonly bucket: string; readonly client: MailClient; readonly email: string };

const finding = (what: string, isMet: boolean, found: string): Finding => ({ what, isMet, found });

/** A second that lies between what came before and what comes after: the times of DynamoDB and S3 are whole seconds. */
const quietSecond = async (): Promise<Date> => {
  await delay(2_100);
  const time = new Date(Math.floor(Date.now() / 1000) * 1000);
  await delay(1_100);
  return time;
};

/**
 * Calls the restore until it is done, and kills each call after its first change.
 * @returns the report and all changes.
 */
const restoreWithKills = async ({ sandbox, say }: Drill, time: Date): Promise<{ report: RestoreReport; kills: readonly string[] }> => {
  const { description } = sandbox;
  const process = killableClients({ ...description });
  for (;;) {
    process.restart();
    try {
      const report = await restoreDeployment(
        { clients: process.clients, deployment: description.stackName, time, now: Date.now, say: () => undefined, pollInterval: 200 },
        false,
      );
      const kills = process.changes;
      say(
        `  killed after each of ${kills.length} changes: ${[...Map.groupBy(kills, (each) => each)].map(([name, all]) => `${name} ${all.length}`).join(', ')}`,
      );
      return { report, kills };
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
};

/** Runs `postrider-admin restore` as an operator does. */
const restoreByCommand = async ({ sandbox: { description }, state, say }: Drill, time: Date): Promise<RestoreReport> => {
  const file = join(state.path, 'restore.json');
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [join(projectDirectory, 'cli', 'postrider-admin.mjs'), 'restore', '--to', time.toISOString(), '--stack', description.stackName, '--report', file],
    {
      env: {
        ...emulatorEnvironment(description.awsEndpointUrl!),
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        COLUMNS: '120',
        NODE_EXTRA_CA_CERTS: description.caCertificate,
      },
    },
  );
  say(`${stderr}${stdout}`.replaceAll(file, 'restore.json').trimEnd());
  return JSON.parse(await readFile(file, 'utf8')) as RestoreReport;
};

/**
 * Compares what a person sees with what they saw at the time. Raw messages that were erased since are expected to be
 * missing.
 */
const comparison = async (before: Seen, { client }: Place, jmapUrl: string, erased: ReadonlySet<string>): Promise<Finding[]> => {
  const after = await seenBy(client);
  const readable = await downloads(client, jmapUrl, after.emails);
  const unreadable = [...readable].filter(([, isReadable]) => !isReadable).map(([id]) => id);
  const plain = ({ emails, mailboxes }: Seen): string =>
    JSON.stringify({
      mailboxes: mailboxes.map(({ id, name, totalEmails, unreadEmails }) => ({ id, name, totalEmails, unreadEmails })),
      emails: emails.map((email) => (erased.has(String(email['id'])) ? { ...email, bodyValues: {} } : email)),
    });
  return [
    finding('mail', plain(after) === plain(before), `${after.emails.length} messages of ${before.emails.length} with ids, Mailboxes, keywords and texts`),
    finding(
      'raw messages',
      JSON.stringify(unreadable) === JSON.stringify([...erased]),
      `${readable.size - unreadable.length} can be downloaded, ${unreadable.length} were erased since`,
    ),
  ];
};

/**
 * The first drill: an account is destroyed in the tables and the bucket, and the restore is killed after each change.
 */
const drillWithKills = async (drill: Drill, place: Place): Promise<{ findings: Finding[]; report: RestoreReport }> => {
  const {
    sandbox: { description },
    say,
  } = drill;
  const { client, table, bucket, email } = place;
  await deliver(
    description,
    client,
    email,
    Array.from({ length: 12 }, (_, index) => `Before ${index + 1}.`),
  );
  await sortMail(client);
  const longHeld = await submitHeld(client, email, 'Held for a day', 86_400);
  await submitHeld(client, email, 'Held for seconds', 12);
  const admin = description.users.find(({ isAdmin }) => isAdmin)!;
  const early = await registerProgram(description, admin, 'Early');
  const before = await seenBy(client);
  const [{ state: stateBefore }] = (await client.call(['Email/get', { ids: [] }])) as [{ state: string }];
  const time = await quietSecond();
  await deliver(description, client, email, ['After the time']);
  await untilFound(async () => (await sentSubjects(description)).includes('Held for seconds') || undefined, 'held mail in the outbox');
  await submitHeld(client, email, 'Submitted after the time', 86_400);
  const [{ state: stateAfter }] = (await client.call(['Email/get', { ids: [] }])) as [{ state: string }];
  const late = await registerProgram(description, admin, 'Late');
  const accessBefore = await late.refresh();
  await loseRecord(description, late);
  const accessWithoutRecord = await late.refresh();
  const erased = before.emails.find(({ subject }) => subject === 'Before 3.')!;
  await deleteAccountItems(description, table, bucket, client.accountId);
  await eraseObject(description, bucket, objectKeys.message(client.accountId, String(erased['blobId']).slice(1)));
  const old = await contentOfTable(description, table);
  say(`· an account is deleted item by item; the restore to ${inSeconds(time)} is killed after each change`);
  const started = performance.now();
  const { report, kills } = await restoreWithKills(drill, time);
  await drill.sandbox.refresh();
  say(`  restored in ${((performance.now() - started) / 1000).toFixed(0)} s`);
  const restored = await mailClientOf(
    description.users.find((user) => user.email === email)!,
    description,
  );
  const sentOnce = (await sentSubjects(description)).filter((subject) => subject === 'Held for seconds').length;
  const {
    list: [submission],
  } = (await restored.call(['EmailSubmission/get', { ids: [longHeld], properties: ['undoStatus'] }]))[0] as { list: { undoStatus: string }[] };
  const sendingTable = report.tables.find(({ table }) => table === 'sending')!.target;
  const waiting = (await readPartition(new DynamoDBClient(awsClientConfig(description)), sendingTable, 'outbox')).length;
  const errors = [await changesError(restored, stateBefore), await changesError(restored, stateAfter)];
  const compared = await comparison(before, { ...place, client: restored }, description.jmapUrl, new Set([String(erased['id'])]));
  const access = {
    atCommandLine: await accessAtCommandLine(description, admin),
    early: await early.refresh(),
    late: [accessBefore, accessWithoutRecord, await late.refresh()],
  };
  const again = await registerProgram(description, admin, 'Late');
  const accessAgain = await again.refresh();
  await deliver(description, restored, email, ['After the restore']);
  const findings = [
    finding('kills', kills.length > 20, `${kills.length} kills, and the next call went on each time`),
    ...compared,
    finding(
      'what is missing',
      report.messages.missing.length === 1 && report.messages.later.length >= 1,
      `${report.messages.missing.length} missing, ${report.messages.later.length} later`,
    ),
    finding('the old table', (await contentOfTable(description, table)) === old, 'is as it was before the restore'),
    finding(
      'states of clients',
      errors.every((error) => error === 'cannotCalculateChanges'),
      `Email/changes since two earlier states: ${errors.join(', ')}`,
    ),
    finding('mail that was sent since', sentOnce === 1, `is sent ${sentOnce} time`),
    finding('mail on hold', submission?.undoStatus === 'pending' && waiting === 2, `is ${submission?.undoStatus}; ${waiting} messages wait to be sent`),
    finding(
      'admins',
      isDeepStrictEqual(access.atCommandLine, { admin: 200, mail: 200 }),
      `have these rights at the command line: ${JSON.stringify(access.atCommandLine)}`,
    ),
    finding(
      'programs from before',
      isDeepStrictEqual(access.early, { admin: 403, mail: 200 }),
      `an admin’s program still reads mail: ${JSON.stringify(access.early)}`,
    ),
    finding(
      'programs since the time',
      isDeepStrictEqual(access.late, [{ admin: 403, mail: 200 }, { admin: 403, mail: 403 }, 'invalid_client']),
      `an admin’s program, without its record, after the restore: ${JSON.stringify(access.late)}`,
    ),
    finding(
      'programs that register again',
      again.clientId !== late.clientId && isDeepStrictEqual(accessAgain, { admin: 403, mail: 200 }),
      `read mail: ${JSON.stringify(accessAgain)}`,
    ),
    finding('new mail', (await subjectsWith(restored, 'After the restore')).length === 1, 'arrives in the restored account'),
  ];
  return { findings, report };
};

/**
 * The second drill: from the restored tables, by the command line and without a kill. Then a deployment keeps the
 * tables.
 */
const drillByCommand = async (drill: Drill, place: Place, restoredTable: string): Promise<Finding[]> => {
  const {
    sandbox: { description, deployment },
    say,
  } = drill;
  const { client, email, bucket } = place;
  await deliver(description, client, email, ['Between the restores']);
  const before = await seenBy(client);
  const time = await quietSecond();
  await deleteAccountItems(description, restoredTable, bucket, client.accountId);
  say(`\n$ npx postrider-admin restore --to ${inSeconds(time)} --stack ${description.stackName}`);
  const report = await restoreByCommand(drill, time);
  await drill.sandbox.refresh();
  const erased = new Set(before.emails.filter(({ subject }) => subject === 'Before 3.').map(({ id }) => String(id)));
  const findings = await comparison(before, place, description.jmapUrl, erased);
  say('\n· a deployment afterwards');
  await synthesize({ ...deployment, context: { ...deployment.context, maxRecipientsPerDay: '4000' } });
  await deploy(deployment);
  await drill.sandbox.refresh();
  return [
    ...findings,
    finding(
      'from a restored table',
      report.tables.every(({ source }) => source !== place.table),
      report.tables.find(({ table }) => table === 'mail')!.source,
    ),
    finding('a deployment afterwards', (await subjectsWith(client, 'Between the restores')).length === 1, 'keeps the restored tables'),
  ];
};

/** Restores a sandbox that lost an account's mail. */
export const runDrill = async (drill: Drill): Promise<Finding[]> => {
  const { description } = drill.sandbox;
  const alice = description.users.find(({ accountId, isAdmin }) => accountId && !isAdmin)!;
  const client = await mailClientOf(alice, description);
  const place: Place = { client, email: alice.email, table: description.outputs['mailTableName']!, bucket: description.outputs['mailBucketName']! };
  const { findings, report } = await drillWithKills(drill, place);
  const { target } = report.tables.find(({ table }) => table === 'mail')!;
  return [...findings, ...(await drillByCommand(drill, { ...place, client: await mailClientOf(alice, description) }, target))];
};
