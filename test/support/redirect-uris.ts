import * as fc from 'fast-check';

const label = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnop0123456789'.split('')), minLength: 1, maxLength: 10 }).map((text) => `a${text}`);
const port = fc.option(fc.integer({ min: 1, max: 65_535 })).map((number) => (number === null ? '' : `:${number}`));
const path = fc.array(label, { maxLength: 3 }).map((labels) => labels.map((each) => `/${each}`).join(''));
const loopback = fc.constantFrom('127.0.0.1', '[::1]', 'localhost');
const urls = (host: fc.Arbitrary<string>) =>
  fc.tuple(fc.constantFrom('http', 'https'), host, port, path).map(([scheme, name, portPart, rest]) => `${scheme}://${name}${portPart}${rest}`);

/** URIs on loopback hosts and with private-use schemes, which registration accepts. */
export const acceptedRedirectUri: fc.Arbitrary<string> = fc.oneof(
  urls(loopback),
  fc.tuple(label, label, label, path).map(([top, middle, app, rest]) => `${top}.${middle}.${app}:/cb${rest}`),
  fc.tuple(label, path).map(([scheme, rest]) => `x-${scheme}://cb${rest}`),
);

const otherHosts = fc.oneof(
  fc.tuple(label, label).map(([name, top]) => `${name}.${top}`),
  fc.tuple(loopback, label).map(([host, name]) => `${host.replace(/[[\]]/g, '')}.${name}.example`),
  fc.tuple(loopback, label).map(([host, name]) => `${host}@${name}.example`),
  fc.tuple(label, loopback).map(([name, host]) => `${name}:${name}@${host}`),
  fc.tuple(label, fc.constantFrom('127.0.0.1', 'localhost')).map(([name, host]) => `${name}.${host}`),
  fc.ipV4().filter((address) => address !== '127.0.0.1'),
  fc.constantFrom(
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '127.0.1',
    'localhost.',
    '127.0.0.1.',
    '%6cocalhost',
    'löcalhost',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::1%25lo]',
    '[::]',
    '①27.0.0.1',
  ),
);
const otherSchemes = fc.constantFrom('javascript', 'data', 'file', 'vbscript', 'blob', 'about', 'ftp', 'ws', 'mailto', 'JavaScript', 'java\tscript');
const invalidEnds = fc.constantFrom('#', '#x', ' ', '\n', '\\', '/%zz', '/ü');

/** URIs that registration refuses: with other hosts or schemes, or ambiguous. */
export const rejectedRedirectUri: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: urls(otherHosts) },
  { weight: 1, arbitrary: fc.tuple(otherSchemes, label).map(([scheme, rest]) => `${scheme}:${rest}`) },
  { weight: 1, arbitrary: fc.tuple(urls(loopback), invalidEnds).map(([url, end]) => url + end) },
);
