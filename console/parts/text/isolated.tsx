import type { ReactNode } from 'react';
import { withClosedIsolates } from '../../../contract/values/isolated.ts';

/** A text from outside the console, whose direction does not reach the text around it (UAX #9). */
export const Isolated = ({ children, className }: { readonly children: ReactNode; readonly className?: string }) => (
  <bdi className={className}>{typeof children === 'string' ? withClosedIsolates(children) : children}</bdi>
);
