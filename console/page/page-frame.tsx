import type { SplitPanelProps } from '@cloudscape-design/components';
import { createContext, useContext, useEffect, type ComponentType } from 'react';
import { isolated } from '../../contract/values/isolated.ts';
import { words } from '../words/words.ts';

/** A blocked navigation, which waits for a person's decision. */
export type Leaving = { readonly proceed: () => void; readonly stay: () => void };

/** The panel of a page beside its content. */
export type Panel = {
  readonly key: string;
  readonly title: string;
  /** Cloudscape's split panel, which only pages with a panel load. */
  readonly Frame: ComponentType<SplitPanelProps>;
};

/** The functions by which a page changes the frame around it. */
type PageFrame = {
  readonly setTitle: (title: string) => void;
  /** Opens the help panel; undefined on a page without help. */
  readonly openHelp: (() => void) | undefined;
  /**
   * Shows a panel with this title, or hides it. A panel with another key opens even if the person closed the previous
   * one.
   */
  readonly setPanel: (panel: Panel | undefined) => void;
  /** Shows the question whether to leave the page, or hides it. */
  readonly setLeaving: (leaving: Leaving | undefined) => void;
  /** The element of the panel's content while the panel is open. */
  readonly panelContent: HTMLElement | null;
};

const PageFrameContext = createContext<PageFrame>({
  setTitle: () => undefined,
  openHelp: undefined,
  setPanel: () => undefined,
  setLeaving: () => undefined,
  panelContent: null,
});

export const PageFrameProvider = PageFrameContext.Provider;

export const useFrame = (): PageFrame => useContext(PageFrameContext);

/** Maximum characters of a title in the breadcrumbs and the tab. The page itself shows the whole title. */
const longestTitle = 80;

const shortened = (title: string): string => (title.length > longestTitle ? `${title.slice(0, longestTitle)}…` : title);

/** Sets the title of the page: the last of the breadcrumbs, and the title of the tab. */
export const useTitle = (title: string): void => {
  const { setTitle } = useFrame();
  useEffect(() => {
    document.title = `${isolated(shortened(title))} · ${words.product}`;
    setTitle(shortened(title));
  }, [title, setTitle]);
};

/** Opens the help of the page; undefined when it has none. */
export const useHelp = (): (() => void) | undefined => useFrame().openHelp;
