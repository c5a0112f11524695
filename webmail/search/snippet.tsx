import { snippetParts } from './snippet-text.ts';

/** A subject or preview of a SearchSnippet (RFC 8621 §5), with what was searched in `<mark>`. */
export const Snippet = ({ snippet }: { readonly snippet: string }) => (
  <bdi className="snippet">
    {snippetParts(snippet).map(({ text, isMarked }, index) => (isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>))}
  </bdi>
);
