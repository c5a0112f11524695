import * as fc from 'fast-check';
import { loopbackHosts } from '../../../contract/oauth/registration.ts';
import { redirectUriFault } from '../../../lambdas/registration/redirect-uri.ts';
import { assertProperty } from '../../support/assert-property.ts';

const outcomeOf = (uri: string) => (redirectUriFault(uri) === undefined ? 'accepted' : 'rejected');

describe('an accepted redirect URI', () => {
  test.each([
    ['a private-use scheme', 'com.example.mail:/oauth/callback'],
    ['one with an authority', 'com.example.mail://oauth/callback'],
    ['one without a dot', 'myapp://callback'],
    ['Thunderbird for Android', 'net.thunderbird.android:/oauth2redirect'],
    ['Thunderbird for iOS', 'net.thunderbird.ios:/oauth2redirect'],
    ['FairEmail', 'eu.faircode.email:/'],
    ['a bundle id behind a prefix', 'msauth.io.github.example.mail://auth'],
    ['a reversed client id', 'com.googleusercontent.apps.123-abc:/oauth2redirect'],
    ['a name that merely has a browser in its domain', 'com.mybrowser.mail:/callback'],
    ['one with digits, plus and minus', 'my-app+2.beta:callback'],
    ['one that takes a query', 'com.example.mail:/callback?from=postrider'],
    ['one whose path has an @', 'com.example.mail:/callback@home'],
    ['one whose name merely begins like a forbidden one', 'javascripts:/callback'],
    ['an editor that IANA lists', 'vscode://postrider.mail/callback'],
    ['its preview', 'vscode-insiders://postrider.mail/callback'],
    ['a notebook', 'obsidian://callback'],
    ['a messenger', 'slack://callback'],
    ['a meeting program', 'msteams:/callback'],
    ['a program whose name is the end of a scheme of Windows', 'recall:/callback'],
    ['a program whose name ends like a family of schemes', 'terms-and-mail:/callback'],
    ['a name with a number', 'ms365mail:/callback'],
    ['the IPv4 loopback address', 'http://127.0.0.1/callback'],
    ['the IPv4 loopback address with a port', 'http://127.0.0.1:51234/callback'],
    ['without a path', 'http://127.0.0.1:51234'],
    ['with a query and no path', 'http://127.0.0.1:51234?a=b'],
    ['the IPv6 loopback address', 'http://[::1]/callback'],
    ['the IPv6 loopback address with a port', 'http://[::1]:51234/callback'],
    ['localhost', 'http://localhost/callback'],
    ['localhost with a port', 'http://localhost:8080/callback'],
    ['the default port, written', 'http://localhost:80/callback'],
    ['the highest port', 'http://localhost:65535/'],
    ['https on a loopback host', 'https://localhost:8443/callback'],
    ['https on the loopback address', 'https://127.0.0.1/callback'],
    ['a query', 'http://127.0.0.1:8080/callback?x=1&y=2'],
    ['upper case and escapes in the path', 'http://127.0.0.1:8080/CallBack/%C3%BC'],
    ['an @ behind the authority', 'http://127.0.0.1/callback@evil.example'],
    ['upper case in the scheme', 'HTTP://127.0.0.1/'],
    ['upper case in the host', 'http://LocalHost:8080/'],
    ['upper case in a private-use scheme', 'com.Example.Mail:/callback'],
    ['1024 characters', `http://127.0.0.1/${'a'.repeat(1007)}`],
  ])('%s: %s', (_, uri) => {
    expect(redirectUriFault(uri)).toBeUndefined();
  });
});

describe('a refused redirect URI', () => {
  test.each([
    ['https elsewhere', 'https://example.com/callback'],
    ['http elsewhere', 'http://example.com/callback'],
    ['javascript', 'javascript:alert(1)'],
    ['javascript that looks like a host', 'javascript://127.0.0.1/%0aalert(1)'],
    ['javascript in mixed case', 'JavaScript:alert(1)'],
    ['javascript behind a space', ' javascript:alert(1)'],
    ['javascript with a tab inside', 'java\tscript:alert(1)'],
    ['data', 'data:text/html,hello'],
    ['file', 'file:///etc/passwd'],
    ['file on the loopback host', 'file://127.0.0.1/etc/passwd'],
    ['vbscript', 'vbscript:msgbox(1)'],
    ['blob of a loopback page', 'blob:http://127.0.0.1/0b5e'],
    ['about', 'about:blank'],
    ['view-source', 'view-source:http://127.0.0.1/'],
    ['a web socket', 'ws://127.0.0.1/'],
    ['a secure web socket', 'wss://localhost/'],
    ['ftp', 'ftp://127.0.0.1/'],
    ['mailto', 'mailto:person@example.com'],
    ['tel', 'tel:+15550100'],
    ['an intent of Android', 'intent://callback#Intent;scheme=https;end'],
    ['a handler of Windows', 'ms-msdt:/id'],
    ['a browser extension', 'chrome-extension://abcdefgh/callback'],
    ['a name below a loopback address', 'http://127.0.0.1.evil.example/callback'],
    ['a name below localhost', 'http://localhost.evil.example/callback'],
    ['a name above localhost', 'http://evil.localhost/callback'],
    ['a loopback address as user information', 'http://127.0.0.1@evil.example/callback'],
    ['localhost as user and password', 'http://localhost:8080@evil.example/callback'],
    ['user information before a loopback host', 'http://user:password@127.0.0.1/callback'],
    ['empty user information', 'http://@127.0.0.1/callback'],
    ['user information under a private-use scheme', 'myapp://user@callback/'],
    ['empty user information under a private-use scheme', 'myapp://@callback/'],
    ['a loopback address in the path', 'https://evil.example/127.0.0.1'],
    ['a loopback address in the query', 'https://evil.example/?http://127.0.0.1'],
    ['an escaped separator in the host', 'http://127.0.0.1%2f.evil.example/'],
    ['a fragment', 'http://127.0.0.1/callback#part'],
    ['an empty fragment', 'http://127.0.0.1/callback#'],
    ['a fragment under a private-use scheme', 'com.example.mail:/callback#part'],
    ['the loopback address as one number', 'http://2130706433/'],
    ['the loopback address in hexadecimal', 'http://0x7f000001/'],
    ['the loopback address in hexadecimal parts', 'http://0x7f.0.0.1/'],
    ['the loopback address in octal', 'http://0177.0.0.1/'],
    ['the loopback address with leading zeros', 'http://127.000.000.001/'],
    ['the loopback address cut short', 'http://127.1/'],
    ['another address of the loopback net', 'http://127.0.0.2/'],
    ['any address', 'http://0.0.0.0/'],
    ['a private address', 'http://192.168.0.1/'],
    ['the metadata service', 'http://169.254.169.254/'],
    ['a trailing dot after localhost', 'http://localhost./'],
    ['a trailing dot after the address', 'http://127.0.0.1./'],
    ['an escaped letter in the host', 'http://%6cocalhost/'],
    ['an escaped digit in the host', 'http://%3127.0.0.1/'],
    ['full-width letters', 'http://ｌocalhost/'],
    ['an IDN full stop', 'http://127。0。0。1/'],
    ['circled digits', 'http://①②⑦.0.0.1/'],
    ['an IDN', 'http://löcalhost/'],
    ['upper case in a name below localhost', 'http://LOCALHOST.Evil.Example/'],
    ['upper case in a scheme that runs', 'JavaScript:alert(1)'],
    ['upper case in a scheme of Windows', 'MS-Settings:x'],
    ['an A-label', 'http://xn--lcalhost-n4a/'],
    ['a soft hyphen in the host', 'http://local\u00adhost/'],
    ['the long IPv6 loopback address', 'http://[0:0:0:0:0:0:0:1]/'],
    ['the IPv6 loopback address with leading zeros', 'http://[::0001]/'],
    ['an IPv4 address mapped to IPv6', 'http://[::ffff:127.0.0.1]/'],
    ['an IPv4-compatible IPv6 address', 'http://[::127.0.0.1]/'],
    ['an IPv6 zone', 'http://[::1%25lo]/'],
    ['an IPv6 zone, unescaped', 'http://[::1%lo]/'],
    ['an IPv6 address that is not closed', 'http://[::1/'],
    ['the unspecified IPv6 address', 'http://[::]/'],
    ['the IPv6 loopback address without brackets', 'http://::1/'],
    ['a port out of range', 'http://127.0.0.1:65536/'],
    ['a port with leading zeros', 'http://127.0.0.1:080/'],
    ['a port that is none', 'http://127.0.0.1:http/'],
    ['an empty port', 'http://127.0.0.1:/'],
    ['a negative port', 'http://127.0.0.1:-1/'],
    ['a wildcard port', 'http://127.0.0.1:*/'],
    ['one slash', 'http:/127.0.0.1/'],
    ['no slash', 'http:127.0.0.1/'],
    ['three slashes', 'http:///127.0.0.1/'],
    ['backslashes', 'http:\\\\127.0.0.1\\'],
    ['a backslash before a host', 'http://127.0.0.1\\@evil.example/'],
    ['a space at the beginning', ' http://127.0.0.1/'],
    ['a space at the end', 'http://127.0.0.1/ '],
    ['a tab in the scheme', 'ht\ttp://127.0.0.1/'],
    ['a line end in the host', 'http://127.0\n.0.1/'],
    ['a carriage return at the end', 'http://127.0.0.1/\r'],
    ['a line end after a scheme', 'myapp:\n//callback'],
    ['a NUL', 'http://127.0.0.1/\0'],
    ['a text that is to run from right to left', 'http://127.0.0.1/\u202egpj'],
    ['a broken escape', 'http://127.0.0.1/%zz'],
    ['half an escape', 'http://127.0.0.1/%2'],
    ['angle brackets', 'http://127.0.0.1/<script>'],
    ['quotes', 'http://127.0.0.1/"'],
    ['a relative path', '/callback'],
    ['a relative reference to a host', '//127.0.0.1/callback'],
    ['a host alone', '127.0.0.1/callback'],
    ['a scheme alone', 'myapp:'],
    ['nothing', ''],
    ['a colon', ':'],
    ['a scheme that begins with a digit', '1app://callback'],
    ['1025 characters', `http://127.0.0.1/${'a'.repeat(1008)}`],
    ['a megabyte', `http://127.0.0.1/${'a'.repeat(1_000_000)}`],
  ])('%s: %j', (_, uri) => {
    expect(outcomeOf(uri)).toBe('rejected');
  });

  const outcomesOf = (scheme: string) => [`${scheme}://callback`, `${scheme}:callback`, `${scheme.toUpperCase()}:/x`].map(outcomeOf);
  const rejectedThrice = ['rejected', 'rejected', 'rejected'];

  // @pitfall attack redirect-schemes
  test.each([
    'javascript',
    'vbscript',
    'data',
    'blob',
    'file',
    'filesystem',
    'about',
    'view-source',
    'content',
    'jar',
    'resource',
    'jnlp',
    'jnlps',
    'ws',
    'wss',
    'ftp',
    'ftps',
    'mailto',
    'tel',
    'callto',
    'facetime',
    'sms',
    'smsto',
    'mms',
    'mmsto',
    'intent',
    'android-app',
    'search-ms',
    'shell',
    'itms-services',
    'ms-recall',
    'ms-settings',
    'ms-browser-extension',
    'ms-outlook',
    'microsoft.windows.camera',
    'x-apple',
    'x-apple.systempreferences',
    'x-apple-helpbasic',
    'chrome',
    'chrome-extension',
    'chrome-untrusted',
    'devtools',
    'edge',
    'brave',
    'opera',
    'vivaldi',
    'moz-extension',
    'safari-web-extension',
    'microsoft-edge',
    'microsoft-edge-https',
    'googlechrome',
    'googlechromes',
    'googlechrome-x-callback',
    'googlechrome.example',
    'firefox',
    'firefox-focus',
    'safari-http',
    'x-safari-https',
    'opera-https',
    'touch-https',
    'onionhttps',
    'yandexbrowser-open-url',
    'samsungbrowser',
    'http+x',
    'https+com.example',
    'x-https-proxy',
    'web+mail',
    'web+com.example.mail',
    'ext+mail',
  ])('has the scheme %s, which a browser or a system interprets itself', (scheme) => {
    expect(outcomesOf(scheme)).toEqual(rejectedThrice);
  });

  test('is not repeated in the reason', () => {
    for (const uri of ['http://secret.example/', 'javascript:secret', 'http://secret@127.0.0.1/', 'http://127.0.0.1/#secret', 'secret']) {
      expect(redirectUriFault(uri)).not.toContain('secret');
    }
  });
});

describe('any redirect URI', () => {
  const host = fc.oneof(
    fc.constantFrom(...loopbackHosts),
    fc.constantFrom(...loopbackHosts),
    fc.domain(),
    fc.ipV4(),
    fc.ipV4Extended(),
    fc.ipV6().map((address) => `[${address}]`),
    fc.nat(0xffffffff).map(String),
    fc
      .tuple(fc.constantFrom(...loopbackHosts), fc.constantFrom('.', '.evil.example', '%00', '@evil.example', ':80@evil.example', '\\', '%2e', '\t', ' '))
      .map(([name, more]) => name + more),
    fc.tuple(fc.string({ maxLength: 8 }), fc.constantFrom(...loopbackHosts)).map(([before, name]) => before + name),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  const uri = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('http:', 'http:', 'https:', 'HTTP:', 'ht\ttp:'),
        fc.constantFrom('//', '//', '//', '/', '\\\\'),
        host,
        fc.constantFrom('', ':80', ':', ':65536', ':0x50'),
        fc.constantFrom('', '/', '/callback', '?x', '/#'),
      )
      .map((parts) => parts.join('')),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.string({ unit: 'binary' }),
  );

  test('with http or https is refused unless a URL parser reads a loopback host', () => {
    let accepted = 0;
    assertProperty(
      fc.property(uri, (candidate) => {
        if (outcomeOf(candidate) === 'rejected') return;
        const { protocol, hostname, username, hash } = new URL(candidate);
        expect({ username, hash }).toEqual({ username: '', hash: '' });
        if (protocol !== 'http:' && protocol !== 'https:') return;
        accepted++;
        expect(loopbackHosts).toContain(hostname);
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(2);
  });

  test('with a loopback host is accepted with any port, path and query', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcXYZ019-._~!$&()*+,;=:@/'.split('')), maxLength: 40 });
    const port = fc.option(fc.integer({ min: 0, max: 65_535 })).map((number) => (number === null ? '' : `:${number}`));
    const query = fc.option(letters).map((text) => (text === null ? '' : `?${text}`));
    const uris = fc
      .tuple(fc.constantFrom('http', 'https'), fc.constantFrom(...loopbackHosts), port, letters, query)
      .map(([scheme, name, ...[ownPort, path, ownQuery]]) => `${scheme}://${name}${ownPort}/${path}${ownQuery}`);
    assertProperty(
      fc.property(uris, (candidate) => {
        expect(redirectUriFault(candidate)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });

  test('with a reversed domain name as its scheme is accepted', () => {
    assertProperty(
      fc.property(fc.domain(), (name) => {
        expect(redirectUriFault(`${name.toLowerCase().split('.').toReversed().join('.')}:/callback`)).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });
});
