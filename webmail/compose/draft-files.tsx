import { useSyncExternalStore } from 'react';
import { fileName } from '../message/file-name.ts';
import { composerWords as words } from '../words/composer-words.ts';
import { octets } from '../words/words.ts';
import type { Composition } from './composition.ts';

/** The files of a message that is written: those that the server has, and those on their way. */
export const DraftFiles = ({ composition }: { readonly composition: Composition }) => {
  const { draft, uploads } = useSyncExternalStore(composition.subscribe, composition.state);
  const files = draft.parts.filter(({ cid }) => cid === null);
  if (files.length + uploads.length === 0) return null;
  return (
    <ul className="draft-files" aria-label={words.attachments}>
      {files.map((part, index) => (
        <li key={`${part.blobId} ${index}`}>
          <bdi>{fileName(part.name)}</bdi> <span className="quiet">{octets(part.size)}</span>
          <button type="button" aria-label={words.remove(fileName(part.name))} onClick={() => composition.removePart(part)}>
            ✕
          </button>
        </li>
      ))}
      {uploads.map(({ key, name, size, sent, problem }) => (
        <li key={key}>
          <bdi>{fileName(name)}</bdi>{' '}
          {problem === '' ? (
            <progress aria-label={fileName(name)} max={Math.max(1, size)} value={sent} />
          ) : (
            <>
              <span role="alert">{problem}</span>
              <button type="button" onClick={() => composition.tryAgain(key)}>
                {words.again}
              </button>
            </>
          )}
          <button type="button" aria-label={words.cancel(fileName(name))} onClick={() => composition.removeFile(key)}>
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
};
