import { vacationMessageRules } from '../../../../contract/jmap/vacation-response.ts';
import { parseHeaderFields } from '../../../../core/mime/header-fields.ts';
import { asText } from '../../../../core/mime/header-forms.ts';
import { composeVacationMessage, type VacationMessage } from '../../../../lambdas/deliver/vacation/vacation-message.ts';

const response = { subject: null, textBody: null, htmlBody: null };

const compose = (more: Partial<Omit<VacationMessage, 'fields'>> = {}, original: readonly string[] = []) => {
  const header = ['From: Ann <ann@example.net>', 'Subject: Lunch?', 'Message-ID: <2@example.net>', ...original].join('\r\n');
  const raw = composeVacationMessage(
    {
      response,
      from: { email: 'alice@example.test' },
      to: 'ann@example.net',
      id: 'submission_1',
      date: new Date('2026-12-24T12:00:00Z'),
      ...more,
      fields: parseHeaderFields(Buffer.from(`${header}\r\n`)),
    },
    () => 'boundary',
  ).toString();
  const end = raw.indexOf('\r\n\r\n');
  const fields = new Map(parseHeaderFields(Buffer.from(raw.slice(0, end + 2))).map((field) => [field.name, asText(field).trim()]));
  return { raw, fields, body: raw.slice(end + 4) };
};

const subjectFor = (original: string) => compose({}, [`Subject: ${original}`]).fields.get('Subject');

// @requirement 8621 §8 vacation-message
describe('a vacation message', () => {
  test('is marked as automatic, and continues the Thread', () => {
    const { fields } = compose({}, ['References: <0@example.net> <1@example.net>']);
    expect(Object.fromEntries(fields)).toMatchObject({
      From: 'alice@example.test',
      To: 'ann@example.net',
      Date: 'Thu, 24 Dec 2026 12:00:00 +0000',
      'Message-ID': '<submission_1@example.test>',
      'In-Reply-To': '<2@example.net>',
      References: '<0@example.net> <1@example.net> <2@example.net>',
      'Auto-Submitted': 'auto-replied',
      'X-Auto-Response-Suppress': 'All',
      'MIME-Version': '1.0',
    });
    expect([...fields.keys()]).not.toEqual(expect.arrayContaining(['Reply-To']));
  });

  test('has the name and replyTo of the Identity', () => {
    const { fields } = compose({ from: { email: 'sales@example.test', name: 'Sales, Köln', replyTo: [{ name: null, email: 'office@example.test' }] } });
    expect(fields.get('From')).toMatch(/<sales@example\.test>$/);
    expect(fields.get('Reply-To')).toBe('office@example.test');
  });

  test('has the given subject, or that of the message after “Auto:”', () => {
    expect(compose({ response: { ...response, subject: 'Away' } }).fields.get('Subject')).toBe('Away');
    expect(compose({ response: { ...response, subject: ' ' } }).fields.get('Subject')).toBe('Auto: Lunch?');
    expect(subjectFor('=?utf-8?Q?K=C3=B6ln?=')).toBe('Auto: Köln');
    expect(subjectFor('')).toBe('Automatic response');
    expect(compose({}, ['Subject: =?utf-8?B?YQ0KQmNjOiBhbGxAZXhhbXBsZS5uZXQ=?=']).raw).not.toMatch(/^Bcc:/m);
  });

  test('truncates a long subject between two characters', () => {
    const { maxOriginalSubject } = vacationMessageRules;
    const subject = subjectFor(`${'a'.repeat(maxOriginalSubject - 1)}😀 and more`)!;
    expect(subject).toBe(`Auto: ${'a'.repeat(maxOriginalSubject - 1)}`);
  });

  test('cites a limited number of references: the first one and the last ones', () => {
    const ids = Array.from({ length: 60 }, (_, index) => `<r${index}@example.net>`);
    const references = compose({}, [`References: ${ids.join(' ')}`])
      .fields.get('References')!
      .split(/\s+/);
    expect(references).toHaveLength(vacationMessageRules.maxReferences);
    expect([references[0], references.at(-2), references.at(-1)]).toEqual(['<r0@example.net>', '<r59@example.net>', '<2@example.net>']);
  });

  test('omits Message-IDs that no field can have', () => {
    const { fields } = compose({}, [`Message-ID: <${'x'.repeat(400)}@example.net>`]);
    expect([fields.get('In-Reply-To'), fields.get('References')]).toEqual([undefined, undefined]);
  });

  test('has only a text when the response has no HTML', () => {
    const { fields, body } = compose({ response: { ...response, textBody: 'Bis bald.\nAlice' } });
    expect([fields.get('Content-Type'), body]).toEqual(['text/plain; charset=utf-8', 'Bis bald.\r\nAlice']);
  });

  test('has a text in addition to the HTML, made from the HTML when none is given', () => {
    const { fields, body } = compose({ response: { ...response, htmlBody: '<p>I am <b>away</b>.</p><p>Alice &amp; Bob</p>' } });
    expect(fields.get('Content-Type')).toMatch(/^multipart\/alternative/);
    expect(body).toContain('I am away.\r\nAlice & Bob\r\n');
    expect(body.indexOf('text/plain')).toBeLessThan(body.indexOf('text/html'));
    expect(compose({ response: { ...response, htmlBody: '<p>HTML</p>', textBody: 'Text' } }).body).toContain('\r\n\r\nText\r\n');
  });

  test('has a default text when the response has neither text nor HTML', () => {
    expect(compose().body).toMatch(/^This is an automatic response\./);
  });

  test('has no line of more than 998 octets', () => {
    const long = 'ä'.repeat(5000);
    const { raw } = compose({ response: { subject: 'x'.repeat(255), textBody: long, htmlBody: long } });
    expect(Math.max(...raw.split('\r\n').map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(998);
  });
});
