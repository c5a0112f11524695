import { useEffect, useMemo, useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { alwaysShowImagesOf, showsImagesOf } from '../context/preferences.ts';
import type { Email, EmailBody } from '../jmap/types.ts';
import { words } from '../words/words.ts';
import { Attachments, rasterTypes } from './attachments.tsx';
import { rawHtmlOf, roughText, valueOf } from './body-html.ts';
import { useDarkScheme } from './dark-colours.ts';
import { isWithinLimits } from './html-limits.ts';
import { hasFramePolicy, MessageFrame } from './message-frame.tsx';
import { PlainText } from './plain-text.tsx';
import { formatOf } from './text-blocks.ts';

/** Whether the receiving server found that a message did not come from the domain that it names (RFC 7489, RFC 8601). */
const failsDmarc = (body: EmailBody): boolean => /\bdmarc=fail\b/i.test((body['header:Authentication-Results:asText:all']?.[0] ?? '').slice(0, 2000));

/** Maximum text parts that are shown. What a mailing list adds is one more; a mail of hundreds would hold the page. */
const maxTexts = 10;

type Shown = 'html' | 'text';

/** The body of a message: its HTML in a frame, or its text, and its attachments. */
export const MessageBody = ({ email, body }: { readonly email: Email; readonly body: EmailBody }) => {
  const { account, composers, download } = useMail();
  const sender = email.from?.[0]?.email ?? '';
  const [withImages, setWithImages] = useState(() => showsImagesOf(sender));
  const [hasBlocked, setBlocked] = useState(false);
  const [isForced, setForced] = useState(false);
  const isDarkScheme = useDarkScheme();
  const [hasOriginalColours, setOriginalColours] = useState(false);
  const isDark = isDarkScheme && !hasOriginalColours;
  const [isTooComplex, setTooComplex] = useState(false);
  const [isSafe, setSafe] = useState<boolean | undefined>();
  useEffect(() => void hasFramePolicy().then(setSafe), []);
  const html = useMemo(() => rawHtmlOf(body), [body]);
  const fits = useMemo(() => isWithinLimits(html), [html]) && !isTooComplex;
  const urls = useMemo(() => new Map<string, Promise<string | undefined>>(), [body]);
  useEffect(() => () => void Promise.all(urls.values()).then((all) => all.forEach((url) => url !== undefined && URL.revokeObjectURL(url))), [urls]);

  const inlineImage = (cid: string): Promise<string | undefined> => {
    const part = body.attachments.find((each) => each.cid === cid);
    if (!part || !rasterTypes.has(part.type)) return Promise.resolve(undefined);
    const known =
      urls.get(cid) ??
      download(part).then(
        (blob) => URL.createObjectURL(new Blob([blob], { type: part.type })),
        () => undefined,
      );
    urls.set(cid, known);
    return known;
  };

  const how: Shown = html !== '' && isSafe === true && (fits || isForced) ? 'html' : 'text';
  const texts = body.textBody.filter(({ type }) => type.startsWith('text/'));
  const isCut = Object.values(body.bodyValues).some(({ isTruncated }) => isTruncated) || (how === 'text' && texts.length > maxTexts);
  // Images that the text refers to by their Content-ID are in it already. The text is read once, however many there are.
  const shownCids = useMemo(() => new Set(Array.from(html.matchAll(/cid:([^"'<>\s)&]{1,1000})/g), ([, cid]) => cid)), [html]);
  const attachments = body.attachments.filter(({ cid, disposition }) => how !== 'html' || disposition === 'attachment' || cid === null || !shownCids.has(cid));
  return (
    <div className="message-body">
      {failsDmarc(body) && (
        <p className="warning" role="note">
          {words.dmarcFailed}
        </p>
      )}
      {html !== '' && isSafe === false && <p className="note">{words.noFrame}</p>}
      {html !== '' && isSafe === true && !fits && !isForced && (
        <p className="note">
          {words.tooComplex}{' '}
          <button type="button" onClick={() => setForced(true)}>
            {words.showAnyway}
          </button>
        </p>
      )}
      {how === 'html' && hasBlocked && !withImages && (
        <p className="note">
          {words.imagesBlocked}{' '}
          <button type="button" onClick={() => setWithImages(true)}>
            {words.showImages}
          </button>
          {sender !== '' && (
            <button
              type="button"
              onClick={() => {
                alwaysShowImagesOf(sender);
                setWithImages(true);
              }}
            >
              {words.alwaysShowImages(sender)}
            </button>
          )}
        </p>
      )}
      {how === 'html' && isDarkScheme && (
        <button type="button" className="plain" onClick={() => setOriginalColours(!hasOriginalColours)}>
          {hasOriginalColours ? words.darkColours : words.originalColours}
        </button>
      )}
      {how === 'html' ? (
        <MessageFrame
          key={`${withImages} ${isDark}`}
          html={html}
          withImages={withImages}
          isDark={isDark}
          inlineImage={inlineImage}
          onRemoteImages={() => setBlocked(true)}
          onMailTo={account.maySend ? (to) => composers.open(account.id, { kind: 'new', to }) : undefined}
          isForced={isForced}
          onTooComplex={() => setTooComplex(true)}
        />
      ) : (
        texts.slice(0, maxTexts).map((part, index) => {
          const value = valueOf(body, part);
          return <PlainText key={part.partId ?? index} value={part.type === 'text/html' ? roughText(value) : value} format={formatOf(part)} />;
        })
      )}
      {isCut && <p className="note">{words.cut}</p>}
      <Attachments parts={attachments} />
    </div>
  );
};
