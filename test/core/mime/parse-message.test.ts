import { parseMessage, unparsedMessage } from '../../../core/mime/parse-message.ts';

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'));

test('parseMessage returns the properties of the Email, and the ids for finding its Thread', () => {
  const parsed = parseMessage(
    message(
      'Message-ID: <m@example.test>',
      'In-Reply-To: <p@example.test>',
      'References: <r@example.test>',
      ' <p@example.test>',
      'From: Alice <alice@example.test>',
      'Sender: bob@example.test',
      'Reply-To: team@example.test',
      'To: bob@example.test, Carol <carol@example.test>',
      'Cc: dave@example.test',
      'Bcc: erin@example.test',
      'Subject: Re: Lunch',
      'Date: Sat, 21 Nov 2026 08:38:00 +0100',
      '',
      'Shall we?',
      '',
    ),
  );
  expect(parsed).toEqual({
    email: {
      messageId: ['m@example.test'],
      inReplyTo: ['p@example.test'],
      references: ['r@example.test', 'p@example.test'],
      from: [{ name: 'Alice', email: 'alice@example.test' }],
      sender: [{ name: null, email: 'bob@example.test' }],
      replyTo: [{ name: null, email: 'team@example.test' }],
      to: [
        { name: null, email: 'bob@example.test' },
        { name: 'Carol', email: 'carol@example.test' },
      ],
      cc: [{ name: null, email: 'dave@example.test' }],
      bcc: [{ name: null, email: 'erin@example.test' }],
      subject: 'Re: Lunch',
      sentAt: '2026-11-21T08:38:00+01:00',
      preview: 'Shall we?',
      hasAttachment: false,
      bodyStructure: expect.objectContaining({ type: 'text/plain' }),
    },
    sentAt: Date.UTC(2026, 10, 21, 7, 38),
    threadMessageIds: ['m@example.test', 'p@example.test', 'r@example.test'],
    baseSubject: 'lunch',
  });
});

test('properties that the message does not have are undefined', () => {
  const { email, sentAt, threadMessageIds, baseSubject } = parseMessage(message('X: y', '', ''));
  expect(JSON.parse(JSON.stringify(email))).toEqual({ preview: '', hasAttachment: false, bodyStructure: expect.anything() });
  expect([sentAt, threadMessageIds, baseSubject]).toEqual([undefined, [], '']);
});

test('the last field of a name is used', () => {
  expect(parseMessage(message('Subject: one', 'Subject: two', '', '')).email.subject).toBe('two');
});

test('threadMessageIds of a long chain are its own id, In-Reply-To, the nearest references and the first one', () => {
  const references = Array.from({ length: 200 }, (_, i) => `<${i}@example.test>`).join(' ');
  const { threadMessageIds } = parseMessage(
    message('Message-ID: <m@example.test>', 'In-Reply-To: <199@example.test>', `References: ${references}`, '', ''),
  );
  expect(threadMessageIds.slice(0, 3)).toEqual(['m@example.test', '199@example.test', '198@example.test']);
  expect(threadMessageIds.at(-1)).toBe('0@example.test');
  expect(threadMessageIds).toHaveLength(20);
});

test('the parsed email of a plain message has less than 1.5 KB', () => {
  const { email } = parseMessage(
    message(
      `Message-ID: <${'a'.repeat(60)}@mail.example.test>`,
      `In-Reply-To: <${'b'.repeat(60)}@mail.example.test>`,
      'From: Alice Liddell <alice@example.test>',
      'To: Bob Builder <bob@example.test>',
      'Subject: Minutes of the meeting on the new building in November',
      'Date: Sat, 21 Nov 2026 08:38:00 +0100',
      'Content-Type: multipart/alternative; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      'Word after word, and then another one. '.repeat(20),
      '--b',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<p>Word after word</p>',
      '--b--',
      '',
    ),
  );
  expect(email.preview).toHaveLength(256);
  expect(JSON.stringify(email).length).toBeLessThan(1536);
});

test('a message that could not be parsed is one part, the whole message', () => {
  const raw = message('Subject: x', '', 'y');
  const { email, failure } = unparsedMessage(raw, new Error('a mistake'));
  expect(failure?.message).toBe('a mistake');
  expect(email).toMatchObject({
    preview: '',
    bodyStructure: { range: { start: 0, end: raw.length }, size: raw.length, type: 'application/octet-stream' },
  });
});
