import { loopbackHosts, registrationLimits } from '../../contract/oauth/registration.ts';

/**
 * Schemes that redirect URIs of registered clients may not have, in lower case. A browser or an operating system
 * handles these schemes itself, and would send the code to a page, a network host or a message instead of the
 * requesting program (docs/specification.md#client-registration). Any other scheme is private-use (RFC 8252 §7.1), with
 * or without a dot, even if IANA lists it. PKCE binds the code to the client that began the sign-in.
 */
const interpretedSchemes: ReadonlySet<string> = new Set([
  // Scripts, documents and pages.
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
  // Pages of browsers. `browserFamilies` has more of them.
  'devtools',
  'edge',
  'brave',
  'opera',
  'vivaldi',
  // Protocols, apart from http and https.
  'ws',
  'wss',
  'ftp',
  'ftps',
  // Mail, telephone and text messages.
  'mailto',
  'tel',
  'callto',
  'facetime',
  'sms',
  'smsto',
  'mms',
  'mmsto',
  // Programs, searches and installations that Android, Windows and Apple's systems open.
  'intent',
  'android-app',
  'shell',
  'search-ms',
  'itms-services',
]);

/**
 * Families of schemes that redirect URIs may not have: schemes of Windows and of Apple's systems, handlers that any web
 * page can register (`web+`, `ext+`), and pages of browser extensions.
 */
const interpretedFamilies = /^ms-|^microsoft[.-]|^x-apple|^(?:web|ext)\+|-extension$/;

/**
 * Variants of http, and names of browsers, which open a page themselves (`googlechromes`, `x-safari-https`,
 * `firefox-focus`, `yandexbrowser-open-url`). In a scheme that is a reversed domain name, the first label is a
 * top-level domain and matches none of them.
 */
const browserFamilies = /https?|browser|chrom(?:e|ium)|firefox|fennec|mozilla|^moz|safari|duckduckgo/;

/** The part before the first dot. In a scheme that is a reversed domain name it is the top-level domain. */
const firstLabel = (scheme: string): string => scheme.split('.')[0] ?? '';

/**
 * Whether a browser or an operating system interprets URIs of the scheme itself. @param scheme the scheme in lower
 * case.
 */
const isInterpretedScheme = (scheme: string): boolean =>
  interpretedSchemes.has(scheme) || interpretedFamilies.test(scheme) || browserFamilies.test(firstLabel(scheme));

/** A URI with a scheme and at least one character after it. */
const withScheme = /^([a-z][a-z0-9+.-]*):(.+)$/is;

/** The characters that a URI may have (RFC 3986 §2). Parsers silently drop or replace others. */
const uriCharacters = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*$/;
const brokenEscape = /%(?![0-9A-Fa-f]{2})/;

/** A URI whose authority has user information, which ends with @ (RFC 3986 §3.2). */
const withUserInformation = /^[^/?]*:\/\/[^/?]*@/;

/**
 * An http or https URI with a listed loopback host, in any letter case, without a port or with a port without leading
 * zeros.
 */
const escapedLoopbackHosts = loopbackHosts.map((host) => host.replace(/[.[\]]/g, '\\$&')).join('|');
const loopback = new RegExp(`^https?://(?:${escapedLoopbackHosts})(?::(?:0|[1-9][0-9]{0,4}))?(?:[/?]|$)`, 'i');

/**
 * Whether the host is a loopback host: by the text, which excludes spellings such as 127.1, and by the host that a URL
 * parser reads.
 */
const isLoopback = (uri: string, { hostname }: URL): boolean => loopback.test(uri) && loopbackHosts.some((host) => host === hostname);

/**
 * The reason why a redirect URI may not be registered, without the URI itself; undefined for a permitted URI
 * (docs/specification.md#client-registration). The check uses the text, which Cognito compares later, and the host and
 * scheme that a browser parses from it (WHATWG URL).
 */
export const redirectUriFault = (uri: string): string | undefined => {
  if (uri.length > registrationLimits.redirectUriLength) return `is longer than ${registrationLimits.redirectUriLength} characters`;
  if (!uriCharacters.test(uri) || brokenEscape.test(uri)) return 'has characters that a URI cannot have (RFC 3986 §2)';
  // A redirect URI has no fragment (RFC 6749 §3.1.2).
  if (uri.includes('#')) return 'has a fragment';
  const scheme = withScheme.exec(uri)?.[1]?.toLowerCase() ?? '';
  const url = URL.parse(uri);
  if (!url || url.protocol !== `${scheme}:`) return 'is not an absolute URI';
  if (withUserInformation.test(uri) || url.username !== '' || url.password !== '') return 'has user information';
  if (scheme === 'http' || scheme === 'https') {
    return isLoopback(uri, url) ? undefined : `is http or https to a host other than ${loopbackHosts.join(', ')}, spelt so; use a private-use scheme instead`;
  }
  return isInterpretedScheme(scheme) ? 'has a scheme that browsers or systems interpret themselves; use a private-use scheme' : undefined;
};
