import { useEffect, useMemo, useState } from 'react';
import { useMail } from '../context/mail-context.ts';
import { alwaysShowImagesOf, showImages, showsImages } from '../context/preferences.ts';
import type { Email, EmailBody } from '../jmap/types.ts';
import { words } from '../words/words.ts';
import { Attachments } from './attachments.tsx';
import { rawHtmlOf } from './body-html.ts';
import { useDarkScheme } from './dark-colours.ts';
import { isWithinLimits } from './html-limits.ts';
import { hasFramePolicy, MessageFrame } from './message-frame.tsx';
import { PlainText } from './plain-text.tsx';
import { cidsIn, failsDmarc, filesBeside, inlineImagesOf, isCut, textsOf, type ShownAs } from './shown-body.ts';

/** The body of a message: its HTML in a frame, or its text, and its attachments. */
export const MessageBody = ({ email, body }: { readonly email: Email; readonly body: EmailBody }) => {
  const { account, composers, download } = useMail();
  const sender = email.from?.[0]?.email ?? '';
  const [withImages, setWithImages] = useState(() => showsImages(body, sender));
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
  const images = useMemo(() => inlineImagesOf(body, download), [body]);
  useEffect(() => images.drop, [images]);

  const how: ShownAs = html !== '' && isSafe === true && (fits || isForced) ? 'html' : 'text';
  const shownCids = useMemo(() => cidsIn(html), [html]);
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
          <button
            type="button"
            onClick={() => {
              showImages(body);
              setWithImages(true);
            }}
          >
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
          inlineImage={images.url}
          onRemoteImages={() => setBlocked(true)}
          onMailTo={account.maySend ? (to) => composers.open(account.id, { kind: 'new', to }) : undefined}
          isForced={isForced}
          onTooComplex={() => setTooComplex(true)}
        />
      ) : (
        textsOf(body).map((text, index) => <PlainText key={`${index}`} {...text} />)
      )}
      {isCut(body, how) && <p className="note">{words.cut}</p>}
      <Attachments parts={filesBeside(body, how, shownCids)} />
    </div>
  );
};
