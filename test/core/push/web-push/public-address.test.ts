import { addressRule, urlHost, pushUrlFault } from '../../../../core/push/web-push/public-address.ts';

describe('addressRule', () => {
  const isAllowed = addressRule();

  test.each(['192.0.32.7', '8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '223.255.255.254', '2606:4700::1111', '2a00:1450:4001::200e'])(
    'allows %s',
    (address) => {
      expect(isAllowed(address)).toBe(true);
    },
  );

  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '169.254.170.2',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:2::1',
    '2001:db8::1',
    '2001:10::1',
    '2002:7f00:1::',
    '2002:808:808::',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fd00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
  ])('refuses %s', (address) => {
    expect(isAllowed(address)).toBe(false);
  });

  test.each(['', 'localhost', '127.1', '2130706433', '0x7f000001', '08.8.8.8', '8.8.8', '8.8.8.8/32', '[2606:4700::1111]', ' 8.8.8.8'])(
    'refuses %j, which is not an IP address',
    (text) => {
      expect(isAllowed(text)).toBe(false);
    },
  );

  test('also allows the given networks, each for its address family', () => {
    const own = addressRule(['10.1.0.0/16', 'fd00:1::/32']);
    expect(['10.1.2.3', 'fd00:1::5', '8.8.8.8'].map(own)).toEqual([true, true, true]);
    expect(['10.2.0.1', 'fd00:2::5', '::ffff:10.1.2.3', '127.0.0.1'].map(own)).toEqual([false, false, false, false]);
  });
});

describe('pushUrlFault', () => {
  const isAllowed = addressRule();

  test.each([
    'https://push.example.net/abc',
    'https://push.example.net',
    'HTTPS://PUSH.EXAMPLE.NET/abc?d=e',
    'https://push.example.net:443/',
    'https://push.example.net:8443/x',
    'https://192.0.32.7/x',
    'https://[2606:4700::1111]/x',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/',
    'https://updates.push.services.mozilla.com/wpush/v2/gAAAA',
  ])('accepts %s', (url) => {
    expect(pushUrlFault(url, isAllowed)).toBeUndefined();
  });

  test.each([
    ['without a scheme', 'push.example.net/abc', 'https'],
    ['without encryption', 'http://push.example.net/abc', 'https'],
    ['of another scheme', 'file:///etc/passwd', 'https'],
    ['with a space before it', ' https://push.example.net/', 'https'],
    ['without a host', 'https:///', 'https'],
    ['too long', `https://push.example.net/${'a'.repeat(2048)}`, '2048 octets'],
    ['with a user name', 'https://user@push.example.net/', 'user name'],
    ['with a host in the user name', 'https://push.example.net@127.0.0.1/', 'user name'],
    ['with a fragment', 'https://push.example.net/#part', 'fragment'],
    ['at the port of another service', 'https://push.example.net:25/', 'port 443'],
    ['at the loopback address', 'https://127.0.0.1/', 'public host'],
    ['at the loopback address in decimal', 'https://2130706433/', 'public host'],
    ['at the loopback address in octal', 'https://0177.0.0.1/', 'public host'],
    ['at the loopback address in hexadecimal', 'https://0x7f000001/', 'public host'],
    ['at the loopback address in short form', 'https://127.1/', 'public host'],
    ['at the loopback address in full-width digits', 'https://１２７.0.0.1/', 'public host'],
    ['at the loopback address, percent-encoded', 'https://%31%32%37.0.0.1/', 'public host'],
    ['at the loopback address, mapped to IPv6', 'https://[::ffff:127.0.0.1]/', 'public host'],
    ['at the loopback address of IPv6', 'https://[::1]/', 'public host'],
    ['at the metadata service', 'https://169.254.169.254/latest/meta-data/', 'public host'],
    ['at the metadata service with a dot at the end', 'https://169.254.169.254./', 'public host'],
    ['at a unique local address', 'https://[fd00::1]/', 'public host'],
    ['at a NAT64 address', 'https://[64:ff9b::7f00:1]/', 'public host'],
    ['at localhost', 'https://localhost/', 'public host'],
    ['at localhost with a dot', 'https://localhost./', 'public host'],
    ['below localhost', 'https://push.localhost:8443/', 'public host'],
    ['at a name without a dot', 'https://intranet/', 'public host'],
    ['at a name of the network it is in', 'https://ip-10-0-0-1.ec2.internal/', 'public host'],
  ])('refuses a URL %s', (_title, url, words) => {
    expect(pushUrlFault(url, isAllowed)).toContain(words);
  });

  test('accepts an address in a given network', () => {
    expect(pushUrlFault('https://127.0.0.1:8443/x', addressRule(['127.0.0.0/8']))).toBeUndefined();
  });

  test('urlHost returns an IPv6 address without brackets', () => {
    expect(urlHost(new URL('https://[::1]/'))).toBe('::1');
  });
});
