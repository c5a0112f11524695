import type { FlashbarProps } from '@cloudscape-design/components';
import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from 'react';
import { shownError } from '../../api/errors.ts';
import { words } from '../../words/words.ts';
import { ErrorText } from '../text/error-text.tsx';

type Notice = {
  readonly type: 'success' | 'info' | 'warning' | 'in-progress';
  readonly title: string;
  readonly text?: ReactNode;
  /** The id of the object that the notice is about. A later notice with the same id replaces it. */
  readonly id?: string;
};

export type Notifications = {
  readonly notify: (notice: Notice) => void;
  /** Reports a failure, with the request's id. */
  readonly notifyError: (error: unknown) => void;
};

const NotificationsContext = createContext<(Notifications & { readonly items: FlashbarProps.MessageDefinition[] }) | undefined>(undefined);

let nextId = 0;

/** The messages above the page. */
export const NotificationsProvider = ({ children }: { readonly children: ReactNode }) => {
  const [items, setItems] = useState<FlashbarProps.MessageDefinition[]>([]);
  const add = useCallback(({ id = `notice-${nextId++}`, ...item }: FlashbarProps.MessageDefinition) => {
    const isOther = (other: FlashbarProps.MessageDefinition): boolean => other.id !== id;
    const remove = (): void => setItems((known) => known.filter(isOther));
    setItems((known) =>
      [{ ariaRole: 'status' as const, ...item, id, dismissible: true, dismissLabel: words.panel.close, onDismiss: remove }, ...known.filter(isOther)].slice(
        0,
        5,
      ),
    );
  }, []);
  const value = useMemo(
    () => ({
      items,
      notify: ({ type, title, text, id }: Notice) => add({ type, header: title, content: text, ...(id !== undefined && { id }) }),
      notifyError: (error: unknown) => {
        const shown = shownError(error);
        add({ type: 'error', header: shown.title, content: <ErrorText error={shown} />, ariaRole: 'alert' });
      },
    }),
    [items, add],
  );
  return <NotificationsContext value={value}>{children}</NotificationsContext>;
};

export const useNotifications = () => {
  const value = useContext(NotificationsContext);
  if (!value) throw new Error('there is no NotificationsProvider');
  return value;
};
