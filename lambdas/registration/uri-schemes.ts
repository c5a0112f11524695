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
export const isInterpretedScheme = (scheme: string): boolean =>
  interpretedSchemes.has(scheme) || interpretedFamilies.test(scheme) || browserFamilies.test(firstLabel(scheme));
