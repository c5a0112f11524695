import CloudscapeLink from '@cloudscape-design/components/link';
import type { ReactNode } from 'react';
import { useNavigate } from 'react-router';

/** A link to a page of the console. It navigates without loading the console again. */
export const PageLink = ({ to, children }: { readonly to: string; readonly children: ReactNode }) => {
  const navigate = useNavigate();
  return (
    <CloudscapeLink
      href={to}
      onFollow={(event) => {
        if (event.detail.external) return;
        event.preventDefault();
        void navigate(to);
      }}
    >
      {children}
    </CloudscapeLink>
  );
};
