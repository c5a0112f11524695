import { I18nProvider } from '@cloudscape-design/components/i18n';
import english from '@cloudscape-design/components/i18n/messages/all.en.json';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useState } from 'react';
import { RouterProvider } from 'react-router';
import type { ConsoleConfig } from '../../contract/deployment/console.ts';
import { AdminApiProvider } from '../api/admin-api.tsx';
import { createAdminClient } from '../api/admin-client.ts';
import { isWorthRetrying, retryDelay, shownError } from '../api/errors.ts';
import { ConfigProvider } from '../page/config-context.tsx';
import { pageAt } from '../page/pages.ts';
import { NotificationsProvider } from '../parts/view/notifications.tsx';
import { accessStore } from '../session/access-store.ts';
import { useSession } from '../session/session-gate.tsx';
import { SignInAgain } from '../session/sign-in-again.tsx';
import { createRouter } from './routes.tsx';

/** Stores the effect of an error on the person's access. */
const noteAccess = (error: unknown): void => {
  const { kind } = shownError(error);
  if (kind === 'forbidden') accessStore.set('forbidden');
  if (kind === 'signInRequired') accessStore.set('signInRequired');
};

const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteAccess }),
  mutationCache: new MutationCache({ onError: noteAccess }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && isWorthRetrying(error),
      retryDelay,
      staleTime: 0,
      refetchOnWindowFocus: false,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // Without a connection a change fails at once: it must not be made later by itself.
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** The pages. The router starts when the sign-in is complete, at the path to return to. */
const Pages = () => {
  const [router] = useState(createRouter);
  return <RouterProvider router={router} />;
};

/** Loads the page of the browser's path before it is shown. */
export const loadPage = async (path: string): Promise<void> => void (await pageAt(path)?.load());

export const SignedIn = ({ config }: { readonly config: ConsoleConfig }) => {
  const { session } = useSession();
  const client = createAdminClient(() => session.accessToken());
  return (
    <I18nProvider locale="en" messages={[english]}>
      <ConfigProvider config={config}>
        <QueryClientProvider client={queryClient}>
          <AdminApiProvider client={client}>
            <NotificationsProvider>
              <Pages />
            </NotificationsProvider>
            <SignInAgain />
          </AdminApiProvider>
        </QueryClientProvider>
      </ConfigProvider>
    </I18nProvider>
  );
};
