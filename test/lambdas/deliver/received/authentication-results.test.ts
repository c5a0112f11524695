import { parseHeaderFields } from '../../../../core/mime/header-fields.ts';
import { asText } from '../../../../core/mime/header-forms.ts';
import { parseLimits } from '../../../../core/mime/parse-limits.ts';
import { deliverDeploymentPerTest } from '../deliver-deployment.ts';

const mail = deliverDeploymentPerTest();

const bySes = [
  'Return-Path: <x@elsewhere.test>',
  'Received: from mail.elsewhere.test (mail.elsewhere.test [192.0.2.1])',
  ' by inbound-smtp.us-east-1.amazonaws.com with SMTP id abc',
  'Authentication-Results: amazonses.com;',
  ' spf=pass client-ip=192.0.2.1; envelope-from=x@elsewhere.test;',
  ' dmarc=fail header.from=bank.test;',
  'X-SES-RECEIPT: AEFB',
];
const sesResult = 'amazonses.com; spf=pass client-ip=192.0.2.1; envelope-from=x@elsewhere.test; dmarc=fail header.from=bank.test;';

/** Delivers a message. @returns its octets in the account. */
const deliver = async (fields: readonly string[], body = 'Hello', lineEnd = '\r\n'): Promise<{ sent: Buffer; delivered: Buffer }> => {
  const sent = Buffer.from([...fields, 'From: Bank <a@bank.test>', 'Subject: Hi', '', body].join(lineEnd), 'latin1');
  expect(await mail.deliver([await mail.arrive('ses-1', sent, ['alice@example.test'])])).toEqual([]);
  const [id] = await mail.emails('acc_alice', 'inbox');
  const object = await mail.objects.get(`messages/acc_alice/${id!.slice(1)}`);
  return { sent, delivered: object!.bytes };
};

const resultsIn = (message: Buffer): string[] =>
  parseHeaderFields(message)
    .filter(({ name }) => name.toLowerCase() === 'authentication-results')
    .map(asText);

test('Authentication-Results written by SES are unchanged', async () => {
  const { sent, delivered } = await deliver(bySes);
  expect(delivered.equals(sent)).toBe(true);
  expect(resultsIn(delivered)).toEqual([sesResult]);
});

describe('Authentication-Results that the sender wrote are renamed:', () => {
  test.each([
    ['with the name of SES', 'Authentication-Results: amazonses.com; dmarc=pass header.from=bank.test'],
    ['with the name of another server', 'Authentication-Results: mx.elsewhere.test; dmarc=pass header.from=bank.test'],
    ['in another case', 'AUTHENTICATION-RESULTS: amazonses.com; dmarc=pass'],
    ['with blanks before the colon', 'Authentication-Results \t: amazonses.com; dmarc=pass'],
    ['folded', 'Authentication-Results:\r\n amazonses.com;\r\n\tdmarc=pass'],
    ['in an encoded word', 'Authentication-Results: =?utf-8?q?amazonses.com;?= dmarc=pass'],
    ['without a value', 'Authentication-Results:'],
    ['after a line that is no field', 'no field\r\nAuthentication-Results: amazonses.com; dmarc=pass'],
    ['after its own X-SES-RECEIPT', 'X-SES-RECEIPT: forged\r\nAuthentication-Results: amazonses.com; dmarc=pass\r\nX-SES-RECEIPT: forged'],
  ])('%s', async (_, forged) => {
    const { sent, delivered } = await deliver([...bySes, 'Received: by mail.elsewhere.test', forged]);
    expect(resultsIn(delivered)).toEqual([sesResult]);
    expect(delivered.length).toBe(sent.length);
    expect(delivered.toString('latin1')).toBe(sent.toString('latin1').replace(/(?<=AEFB[^]*)authentication-results(?=[ \t]*:)/i, 'Untrusted-Auth-Results'));
  });

  test('all of them, with line feeds as line ends', async () => {
    const { delivered } = await deliver(
      [...bySes.join('\n').split('\n'), 'Authentication-Results: a.test; x=y', 'X: y', 'authentication-results: b.test; x=y'],
      'Hello',
      '\n',
    );
    expect(resultsIn(delivered)).toEqual([sesResult]);
    expect(delivered.toString()).toContain('\nUntrusted-Auth-Results: a.test; x=y\nX: y\nUntrusted-Auth-Results: b.test; x=y\n');
  });

  test('also when SES wrote none', async () => {
    const withoutResult = bySes.filter((line) => !/^(Authentication-Results| spf| dmarc)/.test(line));
    const { delivered } = await deliver([...withoutResult, 'Authentication-Results: amazonses.com; dmarc=pass', 'X-SES-RECEIPT: forged']);
    expect(resultsIn(delivered)).toEqual([]);
  });

  test('also without any field of SES', async () => {
    const { delivered } = await deliver(['Authentication-Results: amazonses.com; dmarc=pass']);
    expect(resultsIn(delivered)).toEqual([]);
  });
});

const verdictsBySes = ['X-SES-Spam-Verdict: FAIL', 'X-SES-Virus-Verdict: PASS', 'Received-SPF: pass (spfCheck: domain of elsewhere.test) client-ip=192.0.2.1;'];
const withVerdicts = [...bySes.slice(0, 3), ...verdictsBySes, ...bySes.slice(3)];
const verdictNames = ['x-ses-spam-verdict', 'x-ses-virus-verdict', 'received-spf'];
const verdictsIn = (message: Buffer): string[] =>
  parseHeaderFields(message)
    .filter(({ name }) => verdictNames.includes(name.toLowerCase()))
    .map((field) => `${field.name}: ${asText(field)}`);

describe('verdicts of SES and its Received-SPF', () => {
  const forged = [
    'X-SES-Spam-Verdict: PASS',
    'x-ses-virus-verdict \t: PASS',
    'Received-SPF: pass',
    'X-SES-RECEIPT: forged',
    'RECEIVED-SPF:\r\n pass',
    'X-SES-SPAM-VERDICT: PASS',
  ];

  test('are unchanged', async () => {
    const { sent, delivered } = await deliver(withVerdicts);
    expect(delivered.equals(sent)).toBe(true);
  });

  // @pitfall attack forged-verdicts
  test('are the only ones: fields of the sender are renamed, and no position changes', async () => {
    const { sent, delivered } = await deliver([...withVerdicts, ...forged]);
    expect(verdictsIn(delivered)).toEqual(verdictsBySes);
    expect(delivered.length).toBe(sent.length);
    expect(delivered.toString('latin1')).toContain(
      [
        'AEFB',
        'Untrusted-SES-Spam: PASS',
        'Untrusted-SES-Virus \t: PASS',
        'Asserted-SPF: pass',
        'X-SES-RECEIPT: forged',
        'Asserted-SPF:\r\n pass',
        'Untrusted-SES-Spam: PASS',
        '',
      ].join('\r\n'),
    );
  });

  test('are absent when SES wrote none, because it did not scan the message', async () => {
    const { delivered } = await deliver([...bySes, ...forged]);
    expect(verdictsIn(delivered)).toEqual([]);
  });

  test('are absent without the field that ends SES’s own fields', async () => {
    const { delivered } = await deliver(forged.filter((field) => !field.startsWith('X-SES-RECEIPT')));
    expect(verdictsIn(delivered)).toEqual([]);
  });

  test('are the only ones even after more fields than a client can see', async () => {
    const many = Array.from({ length: 2 * parseLimits.headerFields + 1 }, (_, number) => `X-${number}: x`);
    const { sent, delivered } = await deliver([...withVerdicts, ...many, 'X-SES-Spam-Verdict: PASS', 'Authentication-Results: amazonses.com; x']);
    expect(delivered.toString()).toBe(
      sent
        .toString()
        .replace('X-SES-Spam-Verdict: PASS', 'Untrusted-SES-Spam: PASS')
        .replace(/Authentication-Results(?=: amazonses.com; x)/, 'Untrusted-Auth-Results'),
    );
  });

  test('are limited to the first of each name', async () => {
    const { delivered } = await deliver([...verdictsBySes, ...withVerdicts]);
    expect(verdictsIn(delivered)).toEqual(verdictsBySes);
  });
});

test('a body that contains Authentication-Results stays as it is', async () => {
  const body = 'Authentication-Results: amazonses.com; dmarc=pass\r\n\r\nAuthentication-Results: x';
  const { sent, delivered } = await deliver(bySes, body);
  expect(delivered.equals(sent)).toBe(true);
});

test('a message with renamed fields that is delivered twice is one Email', async () => {
  const raw = [...bySes, 'Authentication-Results: a.test; x=y', 'Subject: Hi', '', 'Hello'].join('\r\n');
  const body = await mail.arrive('ses-1', raw, ['alice@example.test', 'bob@example.test']);
  await mail.deliver([body]);
  expect(await mail.deliver([body])).toEqual([]);
  expect([...(await mail.emails('acc_alice', 'inbox')), ...(await mail.emails('acc_bob', 'inbox'))]).toHaveLength(2);
  expect(mail.objects.keys()).toHaveLength(2);
});
