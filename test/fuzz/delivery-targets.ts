import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseHeaderFields } from '../../core/mime/header-fields.ts';
import { parseMessage } from '../../core/mime/parse-message.ts';
import { UnsendableMessage } from '../../core/sending/wire/wire-header.ts';
import { composeForOutside, readWholeHeader } from '../../lambdas/deliver/outside-message.ts';
import { composeVacationMessage } from '../../lambdas/deliver/vacation/vacation-message.ts';
import { responseProblem, responseRecipient } from '../../lambdas/deliver/vacation/vacation-policy.ts';
import { fuzzTarget, type FuzzTarget } from './fuzz-target.ts';
import { mutatedBytes, mutatedText } from './mutated-bytes.ts';

const header = [
  'From: =?utf-8?q?J=C3=BCrgen?= <j@example.net>',
  'To: "B, C" <b@example.net>, Team: alice@example.test, e@example.net;',
  'Subject: Re: =?iso-8859-1?B?Z3L832U=?=\r\n =?utf-8?q?_folded?=',
  'Message-ID: <one@example.net>',
  'In-Reply-To: <zero@example.net>',
  'References: <a@b> <c@d>\r\n\t<"e f"@g>',
  'X-Auto-Response-Suppress: DR',
  'Auto-Submitted: no',
  '',
].join('\r\n');
const pieces = [
  '\r\n',
  '\n',
  '\r',
  ' ',
  '\t',
  '\0',
  ':',
  '<',
  '>',
  '"',
  '(',
  ')',
  ',',
  ';',
  '@',
  '=?utf-8?q?=0D=0ABcc:_a@b?=',
  '=?utf-8?B?',
  '?=',
  'é',
  '😀',
  'Subject: ',
  'Message-ID: <x>',
  'References: ',
  'Bcc: all@example.net',
  'List-Id: x',
  'alice@example.test',
  '+x',
  '\u2028',
];
const senders = ['j@example.net', '0100018c2f2b1b2a-3c5f5d8e-1234-5678-9abc-def012345678-000000@mail.example.test', 'prvs=1=j@example.net'];

const ownAddresses = [{ email: 'alice@example.test', is_active: true }];

/** The names of the fields of a vacation response, besides those of MIME. */
const ownFields = [
  'From',
  'To',
  'Subject',
  'Date',
  'Message-ID',
  'In-Reply-To',
  'References',
  'Auto-Submitted',
  'X-Auto-Response-Suppress',
  'MIME-Version',
  'Content-Type',
  'Content-Transfer-Encoding',
];

/** Code of the deliver Lambda that reads the headers of received mail. */
export const deliveryTargets: readonly FuzzTarget[] = [
  fuzzTarget(
    'vacation',
    () => fc.tuple(mutatedBytes([header], pieces), mutatedText(senders, pieces)),
    ([bytes, sender]) => {
      const fields = parseHeaderFields(bytes);
      const mail = {
        messageId: 'ses-1',
        objectKey: 'inbound/deliver-1/ses-1',
        recipients: ['alice@example.test'],
        receivedAt: 0,
        isJunk: false,
        sender,
        verdicts: { spam: 'PASS', virus: 'PASS', spf: 'PASS', dmarc: 'PASS' },
      };
      if (responseProblem({ mail, window: { from: null, to: null }, fields, ownAddresses, now: new Date(0) })) return;
      const to = responseRecipient(mail, fields)!;
      const raw = composeVacationMessage(
        {
          response: { subject: null, textBody: 'Away', htmlBody: null },
          from: { email: 'alice@example.test' },
          to,
          fields,
          id: 'submission_1',
          date: new Date(0),
        },
        () => 'boundary',
      );
      const { email } = parseMessage(raw);
      assert.deepEqual(email.to, [{ name: null, email: to }]);
      const names = parseHeaderFields(raw.subarray(0, raw.indexOf('\r\n\r\n') + 2)).map(({ name }) => name);
      assert.equal(new Set(names).size, names.length, 'no field is repeated');
      assert.deepEqual(
        names.filter((name) => !ownFields.includes(name)),
        [],
        'no field is copied from the received mail',
      );
      assert.ok(
        raw
          .toString('latin1')
          .split('\r\n')
          .every((line) => line.length <= 998 && !/[\r\n\0]/.test(line)),
        'lines are those of RFC 5322',
      );
    },
  ),
  fuzzTarget(
    'sent on',
    () => mutatedBytes([`${header}\r\nHello\r\n`], pieces),
    (bytes) => {
      const sender = { email: 'alice@example.test', name: 'Alice' };
      const mark = ['X-Postrider-Copy', 'kept:alice@example.test; t=1; mac=00'] as const;
      let raw: Buffer;
      try {
        raw = composeForOutside(readWholeHeader(bytes), { sender, keepsFrom: false, marks: [mark] }, 'one@example.test', new Date(0));
      } catch (error) {
        if (error instanceof UnsendableMessage) return;
        throw error;
      }
      const lines = raw.subarray(0, raw.indexOf('\r\n\r\n') + 2).toString('latin1');
      assert.ok(lines.startsWith(`${mark.join(': ')}\r\n`), 'the mark comes first');
      assert.ok(
        lines.split('\r\n').every((line) => line.length <= 998 && !/[\r\n\0]/.test(line)),
        'lines are those of RFC 5322',
      );
      const names = parseHeaderFields(Buffer.from(lines, 'latin1')).map(({ name }) => name.toLowerCase());
      for (const name of ['from', 'to', 'cc', 'subject', 'date', 'message-id', 'reply-to', 'references']) {
        assert.ok(names.filter((each) => each === name).length <= 1, `${name} is there once`);
      }
      assert.deepEqual(
        names.filter((name) => ['bcc', 'sender'].includes(name)),
        [],
        'nobody else is named',
      );
      assert.deepEqual(
        parseMessage(raw).email.from?.map(({ email }) => email),
        [sender.email],
        'the account is the author',
      );
    },
  ),
];
