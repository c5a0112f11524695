import { escapeHtml } from '../../contract/values/escape-html.ts';
import type { Identity } from '../jmap/types.ts';
import type { Draft } from './draft.ts';

/** An empty line to write on, the signature of an Identity, and below it the original of a message in plain text. */
export const signed = (
  { htmlSignature, textSignature }: Pick<Identity, 'htmlSignature' | 'textSignature'>,
  isPlain: boolean,
  below = '',
): Pick<Draft, 'html' | 'text'> => {
  const signature = textSignature === '' ? '' : `\n\n-- \n${textSignature}`;
  if (isPlain) return { html: null, text: below === '' ? signature : `\n${signature}\n\n${below}` };
  const html = htmlSignature || escapeHtml(textSignature).replaceAll('\n', '<br>');
  return { html: html === '' ? '<p></p>' : `<p></p><p>-- </p><div>${html}</div>`, text: signature };
};
