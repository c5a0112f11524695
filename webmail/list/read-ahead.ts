import { useEffect } from 'react';
import type { Id } from '../jmap/types.ts';
import { openedFirst } from '../message/opened-first.ts';
import type { MailStore } from '../store/mail-store.ts';

/** Milliseconds for which the list rests before the bodies of its rows are read. */
const restAfter = 150;

/** What is read ahead at most: conversations, messages of each, and octets of a message. */
const limits = { conversations: 8, messages: 3, octets: 200_000 };

/** Whether the person wants to save data, where the browser tells (Network Information API). */
const savesData = (): boolean => {
  const connection: unknown = Reflect.get(navigator, 'connection');
  return typeof connection === 'object' && connection !== null && 'saveData' in connection && connection.saveData === true;
};

/** Reads the bodies of conversations before they are opened, while the list rests, unless the person saves data. */
export const useReadAhead = (store: MailStore, emailIds: readonly (Id | undefined)[]): void => {
  const key = emailIds.slice(0, limits.conversations).join(' ');
  useEffect(() => {
    const timer = setTimeout(() => {
      if (document.hidden || savesData()) return;
      const threads = key.split(' ').flatMap((id) => store.thread(store.email(id)?.threadId ?? '') ?? []);
      const ids = threads.flatMap((thread) => {
        const emails = thread.emailIds.flatMap((id) => store.email(id) ?? []);
        const opened = openedFirst(emails);
        return emails.filter(({ id, size }) => opened.has(id) && size <= limits.octets).slice(0, limits.messages);
      });
      // A failure is told when the message is opened.
      if (ids.length > 0) store.loadBodies(ids.map(({ id }) => id)).catch(() => undefined);
    }, restAfter);
    return () => clearTimeout(timer);
  }, [store, key]);
};
