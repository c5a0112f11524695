import {
  AppLayout,
  type AppLayoutProps,
  BreadcrumbGroup,
  Flashbar,
  type FlashbarProps,
  SideNavigation,
  type SideNavigationProps,
} from '@cloudscape-design/components';
import { Suspense, useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import { generatePath, Outlet, ScrollRestoration, useLocation, useMatches, useNavigate, type NavigateFunction } from 'react-router';
import { isolated } from '../../contract/values/isolated.ts';
import { useRole } from '../api/role.ts';
import { loadedLater } from '../page/load-part.tsx';
import { mayOpen } from '../page/may-open.ts';
import { PageFrameProvider, type Leaving, type Panel } from '../page/page-frame.tsx';
import { navigation, pageOf, pagesAbove } from '../page/pages.ts';
import { setPreferences, usePreferences } from '../page/preferences.ts';
import { LeaveQuestion } from '../page/unsaved-changes.tsx';
import { PageSkeleton } from '../parts/view/loading.tsx';
import { useNotifications } from '../parts/view/notifications.tsx';
import { words } from '../words/words.ts';
import { TopBar } from './top-bar.tsx';

const HelpContent = loadedLater(async () => (await import('./help-content.tsx')).HelpContent);

type Follow = (event: CustomEvent<{ readonly href?: string | undefined; readonly external?: boolean }>) => void;

/** Follows a link of the console without reloading the page. */
const followWith =
  (navigate: NavigateFunction): Follow =>
  (event) => {
    if (event.detail.external || !event.detail.href) return;
    event.preventDefault();
    void navigate(event.detail.href);
  };

/** The pages that the person's role may open. */
const Navigation = ({ active, onFollow }: { readonly active: string; readonly onFollow: Follow }) => {
  const role = useRole();
  return (
    <SideNavigation
      activeHref={active}
      onFollow={onFollow}
      items={navigation.flatMap<SideNavigationProps.Item>(({ title, pages }) => {
        const links = pages.filter((page) => mayOpen(role, page)).map((page) => ({ type: 'link' as const, text: page.title, href: page.path }));
        if (title === undefined) return links;
        return links.length > 0 ? [{ type: 'section' as const, text: title, items: links }] : [];
      })}
    />
  );
};

const contentId = 'content';

/** Takes people without a mouse past the search and the navigation. It is shown while it has the focus. */
const SkipLink = () => (
  <a
    className="skip-link"
    href={`#${contentId}`}
    onClick={(event) => {
      event.preventDefault();
      document.querySelector<HTMLElement>(`#${contentId}`)?.focus();
    }}
  >
    {words.skip}
  </a>
);

/** The state of the split panel, whose place and size are preferences of the person. */
const usePanel = () => {
  const [panel, setPanel] = useState<Panel>();
  const [closedKey, setClosedKey] = useState<string>();
  const [content, setContent] = useState<HTMLElement | null>(null);
  const { panelPosition, panelSize } = usePreferences();
  const props: Partial<AppLayoutProps> = {
    splitPanel: panel && (
      <panel.Frame header={isolated(panel.title)} i18nStrings={words.splitPanel}>
        <div ref={setContent} />
      </panel.Frame>
    ),
    splitPanelOpen: panel !== undefined && panel.key !== closedKey,
    onSplitPanelToggle: ({ detail }) => setClosedKey(detail.open ? undefined : panel?.key),
    splitPanelPreferences: { position: panelPosition },
    onSplitPanelPreferencesChange: ({ detail }) => setPreferences({ panelPosition: detail.position }),
    ...(panelSize !== undefined && { splitPanelSize: panelSize }),
    onSplitPanelResize: ({ detail }) => setPreferences({ panelSize: detail.size }),
  };
  return { setPanel, content, props };
};

const subscribeOnline = (listener: () => void): (() => void) => {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
};

const offline: FlashbarProps.MessageDefinition = { id: 'offline', type: 'warning', header: words.offline.title, content: words.offline.text };

/** The frame of every page: search, navigation, breadcrumbs, messages, help, and details of a list's row. */
export const Shell = () => {
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const { items } = useNotifications();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [title, setPageTitle] = useState<{ readonly path: string; readonly text: string }>();
  const [leaving, setLeaving] = useState<Leaving>();
  const isOnline = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const panel = usePanel();
  const match = useMatches().at(-1);
  const page = pageOf(match);
  const above = page ? pagesAbove(page) : [];
  const follow = followWith(navigate);
  const openHelp = useCallback(() => setHelpOpen(true), []);
  const setTitle = useCallback((text: string) => setPageTitle({ path: window.location.pathname, text }), []);
  const { setPanel, content } = panel;
  const frame = useMemo(
    () => ({ setTitle, openHelp: page && openHelp, setPanel, setLeaving, panelContent: content }),
    [setTitle, page, openHelp, setPanel, content],
  );
  return (
    <PageFrameProvider value={frame}>
      <SkipLink />
      <div id="header">
        <TopBar />
      </div>
      <AppLayout
        headerSelector="#header"
        toolsHide={!page}
        toolsOpen={isHelpOpen}
        onToolsChange={({ detail }) => setHelpOpen(detail.open)}
        ariaLabels={{
          navigation: words.navigation,
          navigationClose: words.panel.close,
          navigationToggle: words.panel.open,
          notifications: words.notifications,
          tools: words.help.title,
          toolsClose: words.panel.close,
          toolsToggle: words.help.title,
        }}
        navigation={<Navigation active={above[0]?.path ?? ''} onFollow={follow} />}
        breadcrumbs={
          pathname !== '/' && (
            <BreadcrumbGroup
              ariaLabel={words.breadcrumbs}
              onFollow={follow}
              items={[
                { text: words.product, href: '/' },
                ...above.slice(0, -1).map((one) => ({ text: one.title, href: generatePath(one.path, match?.params) })),
                { text: isolated((title?.path === pathname ? title.text : page?.title) ?? words.notFound.title), href: pathname },
              ]}
            />
          )
        }
        stickyNotifications
        notifications={<Flashbar items={isOnline ? [...items] : [offline, ...items]} stackItems i18nStrings={words.flashbar} />}
        tools={page && <Suspense>{isHelpOpen && <HelpContent page={page} />}</Suspense>}
        {...panel.props}
        content={
          <div id={contentId} tabIndex={-1}>
            <Suspense fallback={<PageSkeleton />}>
              <ScrollRestoration />
              <Outlet />
            </Suspense>
          </div>
        }
      />
      {leaving && <LeaveQuestion {...leaving} />}
    </PageFrameProvider>
  );
};
