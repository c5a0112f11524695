import { methodErrorTypes, problemType, setErrorTypes } from '../../contract/jmap/core.ts';
import type { Table } from '../../core/storage/table.ts';
import { memoryTable } from '../fakes/memory-table.ts';
import { jmapDeployment, type Json, type Response } from '../lambdas/jmap/jmap-deployment.ts';
import type { MutatedRequest, Placeholder } from './mutated-requests.ts';

const messageWithParts = [
  'From: =?UTF-8?Q?=C3=9Cbermut?= <sender@example.net>',
  'To: Alice <alice@example.test>',
  'Subject: Hello from parts',
  'X-Test: =?utf-8?q?=C3=A9?=',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello <b>from</b> HTML</p>',
  '--b',
  'Content-Type: text/plain',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  'attached',
  '--b--',
  '',
].join('\n');

/** Errors of a method call that a client can cause. */
const clientErrors: readonly string[] = methodErrorTypes.filter((type) => !['serverFail', 'serverUnavailable', 'serverPartialFail'].includes(type));
const problemTypes: readonly string[] = Object.values(problemType);

const countedWrites = () => {
  const table = memoryTable();
  const counter = { writes: 0 };
  const counted: Table = {
    ...table,
    write: (writes) => {
      counter.writes += 1;
      return table.write(writes);
    },
  };
  return { counter, counted };
};

const isEmpty = (value: unknown): boolean => value === null || value === undefined || Object.keys(value).length === 0;

/** Whether a response reports a change. */
const saysChange = ([name, args]: Response): boolean =>
  !/^error$|\/changes$/.test(name) && ['created', 'updated', 'destroyed', 'copied'].some((outcome) => !isEmpty(args[outcome]));

/** Describes an error in a response that no mistake of a client can cause; undefined for a valid response. */
const faultOfResponse = ([name, args]: Response): string | undefined => {
  if (name === 'error') return clientErrors.includes(args['type'] as string) ? undefined : `the error ${JSON.stringify(args)}`;
  const setErrors = ['notCreated', 'notUpdated', 'notDestroyed'].flatMap((outcome) => Object.values((args[outcome] ?? {}) as Json));
  const unknown = setErrors.find((error: Json) => !setErrorTypes.some((type) => type === error?.['type'])) as Json | undefined;
  return unknown && `${name} with the SetError ${JSON.stringify(unknown)}`;
};

/** Alice's account with some mail, for requests with mistakes. Bob's account exists too. */
export const mutatedAccount = async () => {
  const [mail, directory] = [countedWrites(), countedWrites()];
  const deployment = await jmapDeployment({ mail: mail.counted, directory: directory.counted });
  const { deliver, call, perform, roles } = deployment;
  const [email, otherEmail] = [await deliver({ id: 'one' }), await deliver({ id: 'two', references: 'one', subject: 'Re: Subject of one' })];
  await deliver({ id: 'parts', raw: messageWithParts, keywords: ['$seen'] });
  const foreignEmail = await deliver({ id: 'foreign', accountId: 'acc_bob' });
  const [mailboxes, foreignMailboxes] = [await roles(), await roles('acc_bob')];
  const {
    created: { box },
  } = await call('Mailbox/set', { create: { box: { name: 'Box' } } });
  const {
    list: [first],
  } = await call('Email/get', { ids: [email], properties: ['threadId', 'blobId', 'textBody'] });
  const subscription = { deviceClientId: 'd', url: 'https://push.example.net/x' };
  const [[, pushed] = []] = await perform([['PushSubscription/set', { create: { push: subscription } }, 'c']]);
  const [[, foreign] = []] = await perform([['Email/get', { accountId: 'acc_bob', ids: [foreignEmail], properties: ['blobId'] }, 'c']], { token: 'bob' });
  const ids: Readonly<Record<Placeholder, string>> = {
    '⟨email⟩': email,
    '⟨otherEmail⟩': otherEmail,
    '⟨thread⟩': first.threadId as string,
    '⟨inbox⟩': mailboxes['inbox']!,
    '⟨junk⟩': mailboxes['junk']!,
    '⟨mailbox⟩': box.id as string,
    '⟨subscription⟩': pushed!['created'].push.id as string,
    '⟨foreignEmail⟩': foreignEmail,
    '⟨foreignMailbox⟩': foreignMailboxes['inbox']!,
    '⟨message⟩': first.blobId as string,
    '⟨part⟩': first.textBody[0].blobId as string,
    '⟨foreignMessage⟩': foreign!['list'][0].blobId as string,
  };
  const writes = () => mail.counter.writes + directory.counter.writes + deployment.pushes.messages.length;

  return {
    deployment,
    /**
     * Sends a request.
     * @returns the fault of its response; undefined for a valid response.
     */
    faultOf: async ({ sender, body }: MutatedRequest): Promise<string | undefined> => {
      const before = writes();
      const response = await deployment.http('POST', '/jmap', { body: body.replaceAll(/⟨\w+⟩/g, (name) => ids[name as Placeholder] ?? name), token: sender });
      if (deployment.logged.length > 0) return `an error in the log: ${JSON.stringify(deployment.logged)}`;
      const answer = JSON.parse(response.body!) as Json;
      if (response.statusCode === 400) {
        if (!problemTypes.includes(answer['type'] as string)) return `a problem of the type ${answer['type'] as string}`;
        return writes() === before ? undefined : 'a change by a request that failed';
      }
      if (response.statusCode !== 200) return `the status ${response.statusCode}`;
      const responses = answer['methodResponses'] as Response[];
      const fault = responses.map(faultOfResponse).find((each) => each !== undefined);
      if (fault) return fault;
      const mayChange = sender === 'alice' || sender === 'bob';
      const forbidden = responses.find((each) => !mayChange && saysChange(each) && !each[0].startsWith('PushSubscription/'));
      if (forbidden) return `a change with a token for reading: ${JSON.stringify(forbidden)}`;
      return responses.some(saysChange) || writes() === before ? undefined : `a change that no response says: ${JSON.stringify(responses)}`;
    },
  };
};

export type MutatedAccount = Awaited<ReturnType<typeof mutatedAccount>>;
