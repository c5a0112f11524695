import { SplitPanel } from '@cloudscape-design/components';
import { useEffect, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { useFrame } from '../../page/page-frame.tsx';

/**
 * The split panel: details of a list's row, at the bottom or the side of the page. It stays open while its content is
 * read again, and reopens for another `id`.
 */
export const DetailsPanel = ({ id, title, children }: { readonly id: string; readonly title: string; readonly children: ReactNode }) => {
  const { setPanel, panelContent } = useFrame();
  useEffect(() => setPanel({ key: id, title, Frame: SplitPanel }), [id, title, setPanel]);
  useEffect(() => () => setPanel(undefined), [setPanel]);
  return panelContent && createPortal(children, panelContent);
};
