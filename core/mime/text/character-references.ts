/** Names of the characters from U+00A0 to U+00FF (HTML 4 §24.2), in order. */
const latin1Names = (
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot'
  + ' cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml'
  + ' Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig'
  + ' agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute'
  + ' ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ');

/** Names of the characters from U+0391 to U+03C9 (HTML 4 §24.3), in order; `-` for characters without a name. */
const greekNames = (
  'Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega - -'
  + ' - - - - - alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi'
  + ' psi omega'
).split(' ');

/** Named character references that are common in mail. Others are left unchanged. */
const entities = new Map(Object.entries({
  ...Object.fromEntries(latin1Names.map((name, index) => [name, String.fromCharCode(0xa0 + index)])),
  ...Object.fromEntries(greekNames.map((name, index) => [name, String.fromCharCode(0x391 + index)])),
  amp: '&', lt: '<', gt: '>', quot: '"', apos: '\'', nbsp: ' ', ensp: ' ', emsp: ' ', thinsp: ' ', shy: '', zwnj: '\u200C', zwj: '\u200D',
  lrm: '\u200E', rlm: '\u200F', trade: '™', hellip: '…', mdash: '—', ndash: '–', bull: '•', euro: '€', prime: '′', Prime: '″', permil: '‰',
  lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“', rdquo: '”', bdquo: '„', lsaquo: '‹', rsaquo: '›', dagger: '†', Dagger: '‡',
  OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ', fnof: 'ƒ', circ: 'ˆ', tilde: '˜', frasl: '⁄', minus: '−',
  larr: '←', uarr: '↑', rarr: '→', darr: '↓', harr: '↔', hearts: '♥',
}));

const characterOf = (codePoint: number): string =>
  codePoint > 0 && codePoint <= 0x10ffff && (codePoint < 0xd800 || codePoint > 0xdfff) ? String.fromCodePoint(codePoint) : '\uFFFD';

/** Replaces the character references of HTML by their characters. */
export const decodeCharacterReferences = (html: string): string =>
  html.replaceAll(/&(?:#(\d{1,8})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{1,7}));?/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal) return characterOf(Number(decimal));
    if (hex) return characterOf(Number.parseInt(hex, 16));
    return entities.get(name ?? '') ?? whole;
  });
