import { redirectedMessage, type Redirection } from '../../../webmail/compose/redirect.ts';
import { sendDraft, type SendDependencies } from '../../../webmail/compose/send-draft.ts';
import type { Identity } from '../../../webmail/jmap/types.ts';
import { submissionDeploymentPerTest } from '../../lambdas/jmap/email-submission/submission-deployment.ts';
import { aDraft, composeClient } from './compose-client.ts';

const alice: Identity = { id: 'alias_alice', name: 'Alice', email: 'alice@example.test', replyTo: null, bcc: null, textSignature: '', htmlSignature: '' };
const redirection: Redirection = {
  author: { name: 'Carol', email: 'carol@example.net' },
  identity: alice,
  to: [{ name: null, email: 'bob@example.net' }],
  messageId: 'new@example.test',
  references: ['first@example.net', 'carol@example.net'],
};

const octets = (text: string): Blob => new Blob([Uint8Array.from(text, (each) => each.charCodeAt(0))]);
const redirected = async (text: string, more: Partial<Redirection> = {}): Promise<string> =>
  Buffer.from(await (await redirectedMessage(octets(text), { ...redirection, ...more })).arrayBuffer()).toString('latin1');

const ours = [
  'From: "Carol via Alice" <alice@example.test>',
  'Reply-To: Carol <carol@example.net>',
  'To: <bob@example.net>',
  'Message-ID: <new@example.test>',
  'References: <first@example.net>',
  ' <carol@example.net>',
];
const from = 'From: Carol <carol@example.net>';

test.each<[string, readonly string[], readonly string[]]>([
  [
    'keeps its subject, its date and its body',
    [from, 'Subject: =?utf-8?Q?=C3=A4?=', 'Date: now', '', 'a', ''],
    ['Subject: =?utf-8?Q?=C3=A4?=', 'Date: now', '', 'a', ''],
  ],
  [
    'keeps folded fields of its content, in any letters',
    [from, 'CONTENT-TYPE: multipart/signed;', '\tboundary="x"', 'content-transfer-encoding: 8bit', '', '--x', '', 'a\u00ff', '--x--'],
    ['CONTENT-TYPE: multipart/signed;', '\tboundary="x"', 'content-transfer-encoding: 8bit', '', '--x', '', 'a\u00ff', '--x--'],
  ],
  [
    'leaves out the way that it came, and what acts for the person',
    [
      'Return-Path: <x@y>',
      'Received: from a',
      '\tby b',
      'DKIM-Signature: v=1',
      'Sender: s@example.net',
      from,
      'To: alice@example.test',
      'Bcc: secret@example.net',
      'List-Unsubscribe: <https://example.net/alice>',
      'Disposition-Notification-To: carol@example.net',
      'X-SES-CONFIGURATION-SET: x',
      'Message-ID: <carol@example.net>',
      'References: <first@example.net>',
      '',
      '',
    ],
    ['', ''],
  ],
  ['ends a header at the first line that is none', [from, 'Subject: a', 'Dear all', 'Subject: b'], ['Subject: a', '', 'Dear all', 'Subject: b']],
  ['skips a line of a mailbox file', ['From carol now', from, '', 'a'], ['', 'a']],
  ['has an end of its header where the message has none', [from, 'Subject: a'], ['Subject: a', '', '']],
  ['has a continuation that belongs to nothing in no field', [' a', from, '', 'a'], ['', 'a']],
])('a message that is sent on %s', async (_, lines, expected) => {
  expect(await redirected(lines.join('\r\n'))).toBe([...ours, ...expected].join('\r\n'));
});

test.each<[string, Partial<Redirection>, string, string]>([
  [
    'replies where its author wants them',
    {},
    `${from}\r\nReply-To: =?utf-8?Q?=C3=A4?=\r\n <r@example.net>\r\n\r\n`,
    'Reply-To: =?utf-8?Q?=C3=A4?=\r\n <r@example.net>\r\nTo:',
  ],
  [
    'names with other letters',
    { author: { name: 'Ünal 李', email: 'u@x.net' } },
    `${from}\r\n\r\n`,
    'From: =?utf-8?B?w5xuYWwg5p2OIHZpYQ==?=\r\n =?utf-8?B?IEFsaWNl?= <alice@example.test>\r\n',
  ],
  [
    'an author who hides their address',
    { author: { name: 'boss@example.test', email: 'eve@example.net' } },
    `${from}\r\n\r\n`,
    'From: "eve@example.net via Alice" <',
  ],
  ['no author', { author: undefined }, 'Subject: a\r\n\r\n', 'From: "Alice" <alice@example.test>\r\nTo:'],
  [
    'names that would be fields',
    { to: [{ name: 'x\r\nBcc: <eve@example.net>', email: 'b@x.net' }] },
    `${from}\r\n\r\n`,
    'To: =?utf-8?B?eCAgQmNjOiA8ZQ==?=\r\n =?utf-8?B?dmVAZXhhbXBsZQ==?=\r\n =?utf-8?B?Lm5ldD4=?= <b@x.net>\r\n',
  ],
  ['no thread', { references: [] }, `${from}\r\nSubject: a\r\n\r\n`, 'Message-ID: <new@example.test>\r\nSubject: a\r\n'],
])('a message that is sent on has %s', async (_, more, original, expected) => {
  expect(await redirected(original, more)).toContain(expected);
});

test.each([
  ['one field', `Subject: ${'a'.repeat(1_500_000)}`],
  ['empty names', 'a:\r\n'.repeat(400_000)],
  ['lines without a name', 'a'.repeat(1_500_000)],
])('a header of %s without an end is refused', async (_, header) => {
  await expect(redirected(header)).rejects.toThrow('too long');
});

const deployment = submissionDeploymentPerTest();

test('a message that is sent on is one message in Sent, from the person, and its original is forwarded', async () => {
  const { call, draftsId, sentId } = await composeClient(deployment);
  const raw = [from, 'Subject: Plan', 'Content-Type: text/plain; format=flowed', '', 'a ', 'b'].join('\r\n');
  const original = await deployment.deliver({ raw });
  const blob = await redirectedMessage(octets(raw), redirection);
  const blobId = await deployment.upload(Buffer.from(await blob.arrayBuffer()));
  const create: SendDependencies['create'] = () =>
    call('Email/import', { emails: { message: { blobId, mailboxIds: { [draftsId]: true }, keywords: { $draft: true } } } });
  const draft = { ...aDraft, messageId: redirection.messageId, to: redirection.to, original: { emailId: original, use: 'forward' as const } };
  const { submissionId } = await sendDraft({ call, draftsId, sentId, create }, draft, alice, { saved: undefined, seconds: 10 });
  const { ids } = await deployment.call('Email/query', { filter: { inMailbox: sentId } });
  const { list } = await deployment.call('Email/get', { ids: [...(ids as string[]), original], properties: ['subject', 'from', 'replyTo', 'keywords'] });
  expect(list).toMatchObject([
    { subject: 'Plan', from: [{ name: 'Carol via Alice' }], replyTo: [{ email: 'carol@example.net' }], keywords: {} },
    { keywords: { $forwarded: true } },
  ]);
  expect(await deployment.outgoing(submissionId)).toContain('format=flowed');
});
