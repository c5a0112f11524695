import type { EmailBody } from '../../../webmail/jmap/types.ts';
import { unsubscribeWays } from '../../../webmail/message/unsubscribe.ts';

const results = 'amazonses.com; spf=pass client-ip=192.0.2.1; dkim=pass header.i=@news.example.com; dmarc=pass header.from=example.com;';
const signature = 'v=1; a=rsa-sha256; d=news.example.com; s=k; h=From:Subject:List-Unsubscribe:List-Unsubscribe-Post; bh=x; b=y';
const url = 'https://lists.example.com/u?x=1';

type Fields = { readonly urls?: readonly string[]; readonly post?: string; readonly results?: readonly string[]; readonly signatures?: readonly string[] };

const waysOf = (fields: Fields) => {
  const given = { urls: [url], post: 'List-Unsubscribe=One-Click', results: [results], signatures: [signature], ...fields };
  const { oneClick, link, mail } = unsubscribeWays({
    'header:List-Unsubscribe:asURLs': given.urls,
    'header:List-Unsubscribe-Post:asText': given.post,
    'header:Authentication-Results:asText:all': given.results,
    'header:DKIM-Signature:asText:all': given.signatures,
  } as unknown as EmailBody);
  return { ...(oneClick && { oneClick: oneClick.href }), ...(link && { link: link.href }), ...(mail && { mail }) };
};

test.each<[string, Fields]>([
  ['a signed message with the field of RFC 8058', {}],
  ['the first https URL of several', { urls: ['http://lists.example.com/', url, 'https://other.example.com/'] }],
  ['a signature that names its domain by d', { results: ['mx; dkim=pass (2048-bit) header.d=news.example.com header.s=k'] }],
  ['one of two signatures', { signatures: ['v=1; d=other.example; h=from', signature] }],
])('%s can be unsubscribed by a request', (_, fields) => expect(waysOf(fields)).toEqual({ oneClick: url }));

test.each<[string, Fields]>([
  ['another value of the field', { post: 'List-Unsubscribe=One-Click, x' }],
  ['two values in the field', { post: 'List-Unsubscribe=One-Click List-Unsubscribe=One-Click' }],
  ['no results', { results: [] }],
  ['results of an earlier server', { results: ['amazonses.com; dkim=none', results] }],
  ['an invalid signature', { results: ['amazonses.com; dkim=fail header.i=@news.example.com'] }],
  ['a result within another one', { results: ['amazonses.com; spf=pass helo=dkim=pass header.i=@news.example.com'] }],
  ['a failed DMARC', { results: [results.replace('dmarc=pass', 'dmarc=fail')] }],
  ['no signature', { signatures: [] }],
  ['a signature of another domain', { signatures: [signature.replace('d=news.', 'd=')] }],
  ['a signature that leaves a field out', { signatures: [signature.replace(':List-Unsubscribe-Post', '')] }],
  ['a second signature of the domain that leaves a field out', { signatures: [signature, 'v=1; d=news.example.com; h=from'] }],
  ['a huge signature', { signatures: [`${signature}${' '.repeat(5000)}`] }],
])('a message with %s has a page, and no request', (_, fields) => expect(waysOf(fields)).toEqual({ link: url }));

test.each([
  'http://lists.example.com/',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://user:pass@lists.example.com/',
  'https://user@lists.example.com/',
  'https://lists.example.com:8443/',
  'https://192.168.0.1/',
  'https://3232235521/',
  'https://0xc0a80001/',
  'https://0300.0250.0.1/',
  'https://[::1]/',
  'https://[::ffff:192.168.0.1]/',
  'https://１９２.168.0.1/',
  'https://localhost/',
  'https://localhost./',
  'https://a.localhost/',
  'https://router/',
  'https://printer.local/',
  'https://printer.LOCAL/',
  'https://nas.home.arpa/',
  'https://metadata.google.internal/',
  'https://lists.example.com./',
  'https://lists.example.com;connect-src/',
  'https://*.example.com/',
  `https://lists.example.com/${'x'.repeat(5000)}`,
  'lists.example.com',
  '',
])('%.60s is not called and not linked', (each) => expect(waysOf({ urls: [each] })).toEqual({}));

test('a host of another alphabet is called by its ASCII name', () => {
  expect(waysOf({ urls: ['https://lists.exаmple.com/u'] })).toEqual({ oneClick: 'https://lists.xn--exmple-4nf.com/u' });
});

test.each([
  ['mailto:leave@lists.example.com', { to: 'leave@lists.example.com', subject: 'unsubscribe', text: '' }],
  [
    'MAILTO:leave+a%2Bb@lists.example.com?subject=go%20a+b&body=one%0D%0Atwo&cc=x@example.com&attach=/etc/passwd',
    { to: 'leave+a+b@lists.example.com', subject: 'go a+b', text: 'one\ntwo' },
  ],
  ['mailto:a@example.com,b@example.com?Subject=', { to: 'a@example.com', subject: '', text: '' }],
  ['mailto:ü@bücher.example#x', { to: 'ü@bücher.example', subject: 'unsubscribe', text: '' }],
])('%s is a message', (each, mail) => expect(waysOf({ urls: [each], post: '' })).toEqual({ mail }));

test.each([
  'mailto:',
  'mailto:?to=a@example.com',
  'mailto:a',
  'mailto:a@example.com%0d%0aBcc:b@example.com',
  'mailto:a@example.com%2Cb@example.com',
  'mailto:%22a%22@example.com',
  'mailto:Ann%20%3Ca@example.com%3E',
  'mailto:a@example.com@evil.example.com',
  'mailto:a%E2%80%AEb@example.com',
  'mailto:a%ZZ@example.com',
  'mailto:a@example.com?subject=%E0%A4%A',
  'mailto:a@example.com?subject=x%0d%0aBcc:b@example.com',
  'mailto:a@example.com?subject=x%00',
  'mailto:a@example.com?body=x%E2%80%AEy',
  'mailto:a@example.com?body=x%0Dy',
  `mailto:a@example.com?subject=${'x'.repeat(600)}`,
  `mailto:a@example.com?body=${'x'.repeat(1100)}`,
  `mailto:${'a'.repeat(65)}@example.com`,
])('%.60s is no message', (each) => expect(waysOf({ urls: [each] })).toEqual({}));
