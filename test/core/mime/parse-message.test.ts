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
  const { threadMessageIds } = parseMessage(message('Message-ID: <m@example.test>', 'In-Reply-To: <199@example.test>', `References: ${references}`, '', ''));
  expect(threadMessageIds.slice(0, 3)).toEqual(['m@example.test', '199@example.test', '198@example.test']);
  expect(threadMessageIds.at(-1)).toBe('0@example.test');
  expect(threadMessageIds).toHaveLength(20);
});

describe('a message to very many people', () => {
  const people = (count: number, name: string, octets = 100) =>
    Array.from({ length: count }, (_, index) => {
      const email = `${name}.${index}@conference.co.uk`;
      return `"${'x'.repeat(octets - email.length - 5)}" <${email}>`;
    }).join(',\r\n ');
  const recipients = (...lines: string[]) => {
    const { email } = parseMessage(message(...lines, '', 'x'));
    const emails = (list: typeof email.to) => (list ?? []).map((each) => each.email);
    return { to: emails(email.to), cc: emails(email.cc), from: emails(email.from), replyTo: emails(email.replyTo) };
  };

  test('has 1,100 of them, and all of the shorter fields, whatever the order', () => {
    const { to, cc } = recipients(`To: ${people(1100, 'to')}`, 'Cc: Last Person <last@elsewhere.test>');
    expect([to.length, to.at(-1), cc]).toEqual([1100, 'to.1099@conference.co.uk', ['last@elsewhere.test']]);
  });
  // @pitfall attack cut-addresses
  test.each([
    ['people', people(6000, 'to')],
    ['long names', people(500, 'to', 900)],
    ['encoded names', people(3000, 'to').replaceAll(/"x+"/g, `=?utf-8?B?${'w7w'.repeat(20)}?=`)],
    ['names of two octets a letter', people(1000, 'to', 300).replaceAll('x', 'ü')],
  ])('has whole addresses only when it has too many: %s', (_, list) => {
    const { to, cc, from, replyTo } = recipients(`To: ${list}`, `Cc: ${people(3000, 'cc')}`, 'From: a@b.test', 'Reply-To: c@d.test');
    for (const [name, emails] of Object.entries({ to, cc })) {
      expect(emails.length).toBeGreaterThan(100);
      expect(emails).toEqual(emails.map((_each, index) => `${name}.${index}@conference.co.uk`));
    }
    expect([from, replyTo]).toEqual([['a@b.test'], ['c@d.test']]);
  });
  test('has no address that is longer than any mailbox, instead of its beginning', () => {
    expect(recipients(`To: a@${'b'.repeat(600)}.test, c@d.test`).to).toEqual(['c@d.test']);
  });
});

test('texts of a part beyond their limit are left out, but a file name keeps its ending', () => {
  const {
    email: { bodyStructure },
  } = parseMessage(
    message(
      `Content-Type: application/pdf; name="${'plan '.repeat(400)}.pdf"`,
      `Content-Id: <${'i'.repeat(2000)}@b>`,
      `Content-Location: https://a.test/${'l'.repeat(2000)}`,
      '',
      'x',
    ),
  );
  expect(bodyStructure.name).toMatch(/^plan plan .*\.pdf$/);
  expect(bodyStructure).toEqual(expect.not.objectContaining({ cid: expect.anything(), location: expect.anything() }));
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
  expect(email).toMatchObject({ preview: '', bodyStructure: { range: { start: 0, end: raw.length }, size: raw.length, type: 'application/octet-stream' } });
});
