import { lazy, useEffect, useState, type ComponentType, type LazyExoticComponent } from 'react';
import { words } from '../words/words.ts';

const textFields = 'input:not([type="checkbox"], [type="radio"]), textarea';

/** Whether a text is typed, which is lost when the page is loaded again. */
const isTyped = (): boolean => [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(textFields)].some(({ value }) => value !== '');

/**
 * Says why a file can't be loaded. When the connection is back, it loads the whole page again, unless a text is typed:
 * until then the browser repeats the failure of a file, and of every file that imports it, without another request.
 */
export const LoadFailed = () => {
  const [isOffline, setOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const loadAgain = (): void => (isTyped() ? setOffline(false) : window.location.reload());
    window.addEventListener('online', loadAgain);
    return () => window.removeEventListener('online', loadAgain);
  }, []);
  return <p role="status">{isOffline ? words.pageFailed.offline : words.pageFailed.text}</p>;
};

/** A part of a page, whose file is loaded when it is first shown. The rest of the page remains when that fails. */
export const loadedLater = <Props extends object>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => ({ default: await load().catch((): ComponentType<Props> => LoadFailed) }));
